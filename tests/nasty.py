"""Bodies that no reader of JSON should take, whatever they are sent to.

Each is here because some reader somewhere takes it, or falls over it.
"""

DEEP = 100_000


def text(of):
    return of.encode()


# Refused as JSON, wherever they are sent.
MALFORMED = {
    "nothing but a blank": b" ",
    "no JSON": b"name=Ana",
    "an open object": b"{",
    "an open string": b'{"name": "Ana',
    "an open escape": b'{"name": "\\',
    "two values": b"{}{}",
    "a comma too many": b'{"name": "Ana",}',
    "a comment": b'{"name": "Ana"} // me',
    "single quotes": b"{'name': 'Ana'}",
    "a tab in a string": b'{"name": "A\tna"}',
    "a newline in a string": b'{"name": "A\nna"}',
    "a raw NUL": b'{"name": "A\0na"}',
    "a trailing NUL": b'{"name": "Ana"}\0',
    "a form feed": b'\f{"name": "Ana"}',
    "a no-break space": '\u00a0{"name": "Ana"}'.encode(),
    "NaN": b'{"x": NaN}',
    "Infinity": b'{"x": Infinity}',
    "-Infinity": b'{"x": -Infinity}',
    "NaN alone": b"NaN",
    "1e400": b'{"x": 1e400}',
    "1e999": b'{"x": [1e999]}',
    "-1e400": b'{"x": -1e400}',
    "400 digits and a point": b'{"x": %s.0}' % (b"9" * 400),
    "ten digits": b'{"x": 1234567890}',
    "minus ten digits": b'{"x": -1234567890}',
    "2^53 + 1": b'{"x": 9007199254740993}',
    "2^63": b'{"x": 9223372036854775808}',
    "10^400": b'{"x": 1%s}' % (b"0" * 400),
    "4,300 digits": b'{"x": %s}' % (b"7" * 4_300),
    "4,301 digits": b'{"x": %s}' % (b"7" * 4_301),
    "5,000 digits": b"7" * 5_000,
    "a leading zero": b'{"x": 01}',
    "a plus sign": b'{"x": +1}',
    "a hexadecimal number": b'{"x": 0x10}',
    "an underscore": b'{"x": 1_0}',
    "Arabic digits": '{"x": ٣}'.encode(),
    "half a number": b'{"x": 1.}',
    "no number before the point": b'{"x": .5}',
    "True": b'{"x": True}',
    "a key twice": b'{"card": "2C", "card": "QS"}',
    "a key twice, once escaped": b'{"card": "2C", "c\\u0061rd": "QS"}',
    "a key twice, deeper": b'{"rules": {"seats": 4, "seats": 5}}',
    "an empty key twice": b'{"": 1, "": 1}',
    "a key that is no string": b"{1: 2}",
    "a high surrogate": b'{"name": "\\ud800"}',
    "a low surrogate": b'{"name": "\\udc00"}',
    "a reversed pair": b'{"name": "\\udc00\\ud800"}',
    "a surrogate as a key": b'{"\\ud83d": 1}',
    "a surrogate in a list": b'[["\\udfff"]]',
    "a raw surrogate": b'{"name": "\xed\xa0\x80"}',
    "byte FE": b'{"name": "\xfe"}',
    "Latin-1": '{"name": "José"}'.encode("latin-1"),
    "a truncated sequence": b'{"name": "\xe2\x82"}',
    "an overlong slash": b'{"name": "\xc0\xaf"}',
    "beyond Unicode": b'{"name": "\xf5\x80\x80\x80"}',
    "UTF-16": '{"name": "Ana"}'.encode("utf-16"),
    "UTF-16 without its mark": '{"name": "Ana"}'.encode("utf-16-le"),
    "UTF-32": '{"name": "Ana"}'.encode("utf-32-be"),
    "UTF-7": '{"name": "José"}'.encode("utf-7") + b"+AGE-",
    "a byte order mark": b'\xef\xbb\xbf{"name": "Ana"}',
    "gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xabV\xcaK\xccMU\xb2RPr\xccKT\xaa\x05\x00",
    "9 lists": b"[" * 9 + b"]" * 9,
    "9 objects": b'{"a":' * 9 + b"1" + b"}" * 9,
    "8,000 lists": b"[" * 8_000,
    "2,000 objects": b'{"a":' * 2_000,
    "16,000 ends": b"]" * 16_000,
    "8,000 lists after a string": b'["\\"' + b"[" * 8_000,
    "65 members": text("{" + ", ".join(f'"{number}": 1' for number in range(65)) + "}"),
    "a string of 257": b'{"name": "%s"}' % (b"a" * 257),
    "a key of 257": b'{"%s": 1}' % (b"a" * 257),
    "a long string of escapes": b'{"name": "%s"}' % (b"\\u0041" * 257),
    "16 KiB of blanks": b" " * 16_384,
    "16 KiB of quotes": b'"' * 16_384,
    "16 KiB of backslashes": b'"' + b"\\" * 16_383,
}

# Too long, whatever is in them.
TOO_LARGE = {
    "one byte too many": b" " * 16_385,
    "100,000 lists": b"[" * DEEP,
    "100,000 objects": b'{"a":' * DEEP,
    "5 MB": b'{"name": "' + b"a" * 5_000_000 + b'"}',
}

# JSON, but no object.
NO_OBJECT = {
    "null": b"null",
    "a list": b"[]",
    "a list of objects": b"[{}]",
    "a string": b'"x"',
    "an empty string": b'""',
    "a number": b"1",
    "true": b"true",
    "false": b"false",
    "8 lists": b"[" * 8 + b"]" * 8,
    "5,000 numbers": b"[" + b"1," * 5_000 + b"1]",
}
