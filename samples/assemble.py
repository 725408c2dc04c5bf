#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what no tool at hand writes, from files that the tools wrote.

usage: assemble.py MAKE IN... OUT        (MAKE: one of the functions below)
"""
import base64
import hashlib
import io
import struct
import subprocess
import sys
import zipfile
import zlib

ENTRY = 64  # bytes of the fixed part of a fat binary entry header


def read(path):
    with open(path, "rb") as f:
        return f.read()


def entries(data):
    """Offsets of the entry headers of a fat binary that is one container."""
    at, end = 16, 16 + struct.unpack_from("<Q", data, 8)[0]
    while at < end:
        yield at
        head, = struct.unpack_from("<I", data, at + 4)
        size, = struct.unpack_from("<Q", data, at + 8)
        at += head + size


def recoded(data, flag, encode):
    """The fat binary `data` (nothing compressed) with every payload encoded."""
    out = b""
    for at in entries(data):
        head, = struct.unpack_from("<I", data, at + 4)
        size, = struct.unpack_from("<Q", data, at + 8)
        header = bytearray(data[at:at + head])
        packed = encode(data[at + head:at + head + size])
        padded = packed + bytes(-len(packed) % 8)
        flags, = struct.unpack_from("<Q", header, 0x28)
        struct.pack_into("<QI", header, 8, len(padded), len(packed))
        struct.pack_into("<Q", header, 0x28, flags | flag)
        struct.pack_into("<Q", header, 0x38, size)
        out += bytes(header) + padded
    return data[:8] + struct.pack("<Q", len(out)) + out


def fatbin_zlib(source):
    """Flag 0x1000, the codec of toolkits before 7.5."""
    return recoded(read(source), 0x1000, lambda b: zlib.compress(b, 9))


def fatbin_lz4_frame(source):
    """Flag 0x4000, which toolkits use above 2 GB only."""
    def frame(b):
        return subprocess.run(["lz4", "-9", "--no-frame-crc", "-c"], input=b,
                              stdout=subprocess.PIPE, check=True).stdout
    return recoded(read(source), 0x4000, frame)


def damaged(source):
    """32 bytes of the second entry's compressed payload are lost (zero)."""
    data = bytearray(read(source))
    second = list(entries(data))[1]
    head, = struct.unpack_from("<I", data, second + 4)
    packed, = struct.unpack_from("<I", data, second + 0x10)
    hole = second + head + packed * 3 // 4
    data[hole:hole + 32] = bytes(32)
    return bytes(data)


def mislabelled(source):
    """The first entry says sm_86 while its cubin is for another target."""
    data = bytearray(read(source))
    struct.pack_into("<I", data, 16 + 0x1C, 86)
    return bytes(data)


def ccob_v1(version2):
    """Version 1 is version 2 without the field of the total size."""
    data = read(version2)
    assert data[:6] == b"CCOB\2\0"
    return b"CCOB\1\0" + data[6:8] + data[12:]


def ccob_zlib(bundle):
    """Version 2 with method 0."""
    data = read(bundle)
    packed = zlib.compress(data, 9)
    return (b"CCOB" + struct.pack("<HHII", 2, 0, 24 + len(packed), len(data)) +
            hashlib.md5(data).digest()[:8] + packed)


def ccob_bad_hash(version3):
    """The stored hash is not the one of the decoded bytes."""
    data = bytearray(read(version3))
    assert data[:6] == b"CCOB\3\0"
    data[24] ^= 0xFF
    return bytes(data)


def spelled(image):
    """Three entry ids for gfx906: processor in the triple, environment spelled,
    and the single dash of old compilers. No alignment, no padding."""
    image = read(image)
    ids = [b"host-x86_64-unknown-linux-gnu-", b"hipv4-amdgpu9.06-amd-amdhsa--",
           b"hipv4-amdgcn-amd-amdhsa-unknown-gfx906",
           b"hip-amdgcn-amd-amdhsa-gfx906"]
    start = 32 + sum(24 + len(i) for i in ids)
    out = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(ids))
    for n, name in enumerate(ids):
        out += struct.pack("<QQQ", start, len(image) if n else 0, len(name)) + name
    return out + image  # the three entries share their bytes


def offload(version, packed, image, spirv):
    """One offload binary with two entries, in the layout of newer LLVM."""
    images = [read(image), read(spirv)]
    meta = [(1, 4, {"triple": "amdgcn-amd-amdhsa", "arch": "gfx906"}),
            (6, 8, {"triple": "spirv64-unknown-unknown", "arch": ""})]
    head = 32 if version == 2 else 40
    strings, where = b"\0", {"": 0}
    for _, _, pairs in meta:
        for text in [t for pair in pairs.items() for t in pair if t not in where]:
            where[text] = len(strings)
            strings += text.encode() + b"\0"
    records = head + 40 * len(meta)
    texts = records + 24 * sum(len(m[2]) for m in meta)
    first = (texts + len(strings) + 7) // 8 * 8
    table, pairs_out, at, record = b"", b"", first, records
    for (image_kind, kind, pairs), data in zip(meta, images):
        table += struct.pack("<HHIQQQQ", image_kind, kind, 0, record, len(pairs), at, len(data))
        record += 24 * len(pairs)
        at += len(data)
        for key, value in pairs.items():
            pairs_out += struct.pack("<QQQ", texts + where[key], texts + where[value], len(value))
    body = (table + pairs_out + strings).ljust(first - head, b"\0") + b"".join(images)
    body += bytes(-(head + len(body)) % 8)
    whole = head + len(body)
    if packed:
        body = zlib.compress(body, 9)
    out = b"\x10\xff\x10\xad" + struct.pack("<IQQQ", version, head + len(body), head, len(meta))
    if version == 3:
        out += struct.pack("<Q", whole if packed else 0)
    return out + body


def offload_v2(image, spirv):
    return offload(2, False, image, spirv)


def offload_v3(image, spirv):
    return offload(3, True, image, spirv)


def ar(name, data):
    """A static library of one object, in GNU's layout."""
    head = f"{name + '/':<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n"
    return b"!<arch>\n" + head.encode() + data + b"\n" * (len(data) % 2)


def wheel(library, image, object_file):
    """A wheel with a shared library, a bare code object and a static library."""
    members = {"gantry_sample/__init__.py": b"# GPU code for tests of gantry\n",
               "gantry_sample/libreduce.so": read(library),
               "gantry_sample/reduce_gfx942.co": read(image),
               "gantry_sample/libreduce.a": ar("reduce.o", read(object_file))}
    info = "gantry_sample-1.0.dist-info/"
    members[info + "METADATA"] = b"Metadata-Version: 2.1\nName: gantry-sample\nVersion: 1.0\n"
    members[info + "WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    digest = {n: base64.urlsafe_b64encode(hashlib.sha256(d).digest()).rstrip(b"=").decode()
              for n, d in members.items()}
    record = "".join(f"{n},sha256={digest[n]},{len(d)}\n" for n, d in members.items())
    members[info + "RECORD"] = f"{record}{info}RECORD,,\n".encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o100644 << 16
            entry.create_system = 3
            z.writestr(entry, data, zipfile.ZIP_DEFLATED, 9)
    return out.getvalue()


def main():
    make, *sources, out = sys.argv[1:]
    data = globals()[make](*sources)
    with open(out, "wb") as f:
        f.write(data)


if __name__ == "__main__":
    main()
