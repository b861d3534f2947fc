// Checks deals of hearts-shuffle-1: node verify_deal.mjs COMMITMENT < proofs, one on a line.
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

const PACK = [..."CDSH"].flatMap((suit) => [..."23456789TJQKA"].map((rank) => rank + suit));
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function* stream(key, text) {
  for (let block = 0; ; block++) yield* createHmac("sha256", key).update(`${text}|${block}`).digest();
}

function isRight(proof, commitment) {
  const { scheme, game_id, deal, players, client_seeds, deck, seed, hands, kitty } = proof;
  if (!Number.isInteger(deal) || deal < 1 || deal > 256 || !/^[0-9a-f]{64}$/.test(seed)) return false;
  if (!same(client_seeds.map(String), client_seeds) || client_seeds.length !== players) return false;
  const key = Buffer.from(seed, "hex");
  let end = key;
  for (let k = 0; k < deal; k++) end = createHash("sha256").update(end).digest();
  const numbers = stream(key, [scheme, game_id, deal, players, client_seeds.join(",")].join("|"));
  const order = [...deck], size = Math.floor(deck.length / players);
  for (let i = order.length - 1; i > 0; i--) {
    let n = numbers.next().value;
    while (n >= 256 - (256 % (i + 1))) n = numbers.next().value;
    [order[i], order[n % (i + 1)]] = [order[n % (i + 1)], order[i]];
  }
  const packs = deck.length > new Set(deck).size ? [...PACK, ...PACK] : PACK;
  const dealt = client_seeds.map((_, p) => order.slice(p * size, p * size + size));
  return scheme === "hearts-shuffle-1" && game_id === commitment.slice(0, 32) && end.toString("hex") === commitment
    && same(packs.filter((card) => deck.includes(card)), deck) && same([...dealt, order.slice(players * size)], [...hands, kitty]);
}

for (const line of readFileSync(0, "utf8").split("\n").filter((line) => line.trim())) {
  try {
    console.log(isRight(JSON.parse(line), process.argv[2]) ? "ok" : "wrong");
  } catch {
    console.log("wrong");
  }
}
