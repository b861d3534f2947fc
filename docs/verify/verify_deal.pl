# Checks deals of hearts-shuffle-1: perl verify_deal.pl COMMITMENT < proofs, one on a line.
use strict;
use warnings FATAL => 'all';
use Digest::SHA qw(sha256 hmac_sha256);
use JSON::PP qw(decode_json encode_json);

my $commitment = shift;
my @pack = map { my $suit = $_; map { $_ . $suit } split //, '23456789TJQKA' } split //, 'CDSH';

sub is_right {
    my ($proof) = @_;
    my ($scheme, $game, $deal, $players, $seeds, $deck, $seed, $hands, $kitty)
        = map { $proof->{$_} // die "no $_\n" } qw(scheme game_id deal players client_seeds deck seed hands kitty);
    return 0 unless encode_json([$deal, $players]) =~ /^[[][0-9]+,[0-9]+]$/;    # numbers, not texts
    return 0 unless $deal =~ /^[1-9][0-9]{0,2}$/ && $players =~ /^[1-9][0-9]?$/ && $players == @$seeds;
    return 0 unless $seed =~ /^[0-9a-f]{64}$/;
    my $key = my $end = pack 'H*', $seed;
    $end = sha256($end) for 1 .. $deal;
    my $text = join '|', $scheme, $game, $deal, $players, join ',', @$seeds;
    my ($block, @numbers, @order) = (0);
    @order = @$deck;
    for my $i (reverse 1 .. $#order) {
        my $n;
        do {
            push @numbers, unpack 'C*', hmac_sha256("$text|" . $block++, $key) unless @numbers;
            $n = shift @numbers;
        } while $n >= 256 - 256 % ($i + 1);
        @order[$i, $n % ($i + 1)] = @order[$n % ($i + 1), $i];
    }
    my ($size, %in) = int(@order / $players);
    $in{$_}++ for @$deck;
    my @usual = grep { $in{$_} } @$deck > keys %in ? (@pack, @pack) : @pack;
    my @dealt = map { my $p = $_; [@order[$p * $size .. $p * $size + $size - 1]] } 0 .. $players - 1;
    return $scheme eq 'hearts-shuffle-1' && $game eq substr($commitment, 0, 32) && unpack('H*', $end) eq $commitment
        && "@usual" eq "@$deck" && encode_json([@dealt, [@order[$players * $size .. $#order]]]) eq encode_json([@$hands, $kitty]);
}

print eval { is_right(decode_json($_)) } ? "ok\n" : "wrong\n" while <STDIN>;
