#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares gantry's answers with those of the vendors' tools, recorded as tables.

usage: compare.py --gantry COMMAND --files FOLDER --golden FOLDER [--libraries FOLDER] [--toolkits FOLDER]

Every table of the golden folder that is known here is compared row by row (which word of a tool is which of gantry's:
words.tsv). Each difference must stand in differences.tsv with its reason; one that is not there is a fault, and so is
one that no longer occurs in a file that was compared. Exit status: 0, 1 with faults, 2 when nothing could be compared.
"""
import argparse
import collections
import fnmatch
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WORDS = os.path.join(HERE, "words.tsv")
DIFFERENCES = os.path.join(HERE, "differences.tsv")

# table: the golden file; subject: which row of it; a field, and both answers.
Difference = collections.namedtuple("Difference", "table file subject field theirs ours")


def read_table(path):
    """(rows as dictionaries, remarks as (file, text)) of a TSV with a # header."""
    rows, remarks, head = [], [], None
    with open(path, encoding="utf-8") as f:
        for line in f.read().splitlines():
            if line.startswith("#! "):
                remarks.append(tuple(line[3:].split(": ", 1)))
            elif line.startswith("#"):
                if "\t" in line:
                    head = line[1:].split("\t")
            elif line:
                cells = line.split("\t")
                rows.append(dict(zip(head, cells + [""] * (len(head) - len(cells)))))
    return rows, remarks


def words(source, column, collection="objects"):
    """What a tool's words are in gantry's JSON."""
    return {r["word"]: r["gantry"] for r in read_table(WORDS)[0]
            if r["source"] == source and r["column"] == column and r["collection"] == collection}


class Answers:
    """gantry's documents, one run a file."""

    def __init__(self, gantry, folder, options=()):
        self.gantry, self.folder, self.options = gantry, folder, list(options)
        self.known = {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def has(self, name):
        return os.path.isfile(self.path(name))

    def __getitem__(self, name):
        if name not in self.known:
            self.known[name] = self.ask(name)
        return self.known[name]

    def ask(self, name):
        command = [self.gantry, "inspect", "--json", "--analysis", "kernels", "--show", "targets,objects,kernels,containers"]
        run = subprocess.run(command + self.options + [self.path(name)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            document = json.loads(run.stdout)
        except ValueError:
            raise SystemExit("%s: exit %d, no JSON: %s" % (name, run.returncode, run.stderr.decode(errors="replace")))
        if "error" in document:
            document = {"objects": [], "kernels": [], "containers": [], "targets": [], **document}
        document["exit"] = run.returncode
        return document


def text(value):
    """A cell as the tables spell it."""
    if value is None or value == "":
        return "-"
    if value is True or value is False:
        return "yes" if value else "-"
    return str(value)


def objects_of(document):
    return {o["id"]: o for o in document["objects"]}


class Comparison:
    """Collects the differences of one table."""

    def __init__(self, table, answers):
        self.table, self.answers = table, answers
        self.found, self.files, self.compared = [], set(), 0

    def same(self, file, subject, field, theirs, ours):
        self.compared += 1
        if text(theirs) != text(ours):
            self.found.append(Difference(self.table, file, subject, field, text(theirs), text(ours)))

    def pair(self, file, theirs, ours, fields):
        """Compares two lists of (subject, {field: value}) as multisets of subjects. Within one subject the rows are
        taken in the order that leaves the fewest differences: tools have orders of their own."""
        groups = collections.OrderedDict()
        for side, rows in ((0, theirs), (1, ours)):
            for subject, row in rows:
                groups.setdefault(subject, ([], []))[side].append(row)
        for subject, (left, right) in groups.items():
            self.same(file, subject, "rows", len(left), len(right))
            left = list(left)
            for row in right:
                if not left:
                    break
                best = min(range(len(left)), key=lambda i: sum(text(left[i].get(f)) != text(row.get(f)) for f in fields))
                other = left.pop(best)
                for f in fields:
                    if f in other:
                        self.same(file, subject, f, other[f], row.get(f))

    def refused(self, remarks):
        """Files on which the tool gave up: how much gantry says about them all the same."""
        for file, message in remarks:
            if self.answers.has(file):
                self.files.add(file)
                document = self.answers[file]
                ours = "%d objects, %s" % (len(document["objects"]), document.get("coverage", "error"))
                self.same(file, "file", "refused", message, ours)

    def by_file(self, rows):
        """(file, its rows) for each file that is there."""
        groups = collections.OrderedDict()
        for r in rows:
            groups.setdefault(r["file"], []).append(r)
        for file, own in groups.items():
            if self.answers.has(file):
                self.files.add(file)
                yield file, own


# --- single answers ------------------------------------------------------------


def answer(document, collection, where, field):
    """The cell of answers.tsv."""
    rows = [document] if collection == "report" else document[collection]
    if where != "-":
        column, value = where.split("=", 1)
        rows = [r for r in rows if text(r.get(column)) == value]
    if field == "count":
        return str(len(rows))
    if field == "layout":
        return "; ".join(layout(r) for r in rows)
    containers = {c["id"]: c for c in document["containers"]}
    return " ".join(json.dumps(place(r, containers)) if field == "at" else spelled(r.get(field)) for r in rows)


def layout(kernel):
    """Its parameters: size@offset, ? for what is not known."""
    return " ".join("%s@%s" % tuple("?" if p[f] is None else p[f] for f in ("size", "offset"))
                    for p in kernel["parameters"] or [])


def spelled(value):
    return value if isinstance(value, str) else json.dumps(value)


def place(row, containers):
    """Offset in what holds the row; in the file when that is decoded or nothing."""
    parent = containers.get(row["parent"])
    inside = parent and parent["location"]["in"] == row["location"]["in"]
    return row["location"]["offset"] - (parent["location"]["offset"] if inside else 0)


def single_answers(answers, path=os.path.join(HERE, "answers.tsv")):
    """(file, question, expected, ours) of all lines whose file is there and that are answered otherwise, and how many
    lines were compared."""
    wrong, compared = [], 0
    for r in read_table(path)[0]:
        if answers.has(r["file"]):
            compared += 1
            ours = answer(answers[r["file"]], r["collection"], r["where"], r["field"])
            if ours != r["answer"]:
                question = "%s %s %s" % (r["collection"], r["where"], r["field"])
                wrong.append((r["file"], question, r["answer"], ours))
    return wrong, compared


# --- NVIDIA ------------------------------------------------------------------

PART = re.compile(r"\.\d+\.\d+$")  # id of a part of a concatenated entry


def cuda_objects(document):
    return [o for o in document["objects"] if o["kind"] not in ("amdgpu", "spirv", "bitcode", "sycl-image")]


def object_word(o, kinds):
    """gantry's kind in a tool's word. PTX for the device linker is an ordinary entry in __nv_relfatbin."""
    if o["kind"] == "ptx" and o["relocatable"] and o["section"] != "__nv_relfatbin":
        return "relocatable ptx"
    return kinds.get(o["kind"], o["kind"])


def nvidia_objects(c, rows, remarks):
    kinds = {"cubin": "elf", "ptx": "ptx", "lto-ir": "nvvm", "tile-ir": "tile ir", "unknown": "<unknown kind>"}
    gave_up = {file for file, _ in remarks}
    for file, own in c.by_file(rows):
        theirs, ours = [], []
        for r in own:
            if r["kind"] == "concatenated entry":
                continue
            row = {"member": r["member"], "name": masked(r["identifier"]), "options": r["options"]}
            if r["part"] == "-":
                row["compressed"] = r["compressed"]
            if r["kind"] in ("ptx", "relocatable ptx", "nvvm"):
                row["version"] = r["version"].strip("[]").replace(",", ".")
            theirs.append(("%s %s" % (r["kind"], r["target"]), row))
        for o in cuda_objects(c.answers[file]):
            compressed = o["compression"] != "none"
            row = {"member": o["member"], "name": masked(o["name"]), "compressed": compressed, "version": o["version"],
                   "options": (o["options"] or "").strip()}
            ours.append(("%s %s" % (object_word(o, kinds), o["target"]), row))
        if file in gave_up:  # what the tool listed before must be there; the rest is told by `refused`
            wanted = {subject for subject, _ in theirs}
            ours = [(s, row) for s, row in ours if s in wanted]
        c.pair(file, theirs, ours, ("compressed", "name", "options", "version", "member"))
    c.refused(remarks)


def masked(name):
    """Hashes of source paths differ from build to build."""
    return name and re.sub(r"_[0-9a-f]{8}_", "_########_", name)


def cuda_containers(c, rows, remarks):
    kinds = {"cubin": "elf", "ptx": "ptx", "lto-ir": "lto-ir", "tile-ir": "tile ir", "unknown": "unknown"}
    for file, own in c.by_file(rows):
        document = c.answers[file]
        theirs = [("%s %s %s" % (r["section"], r["kind"], r["target"]),
                   {"entries": r["entries"], "compressed": r["compressed"]}) for r in own]
        theirs += [("%s containers" % s, {"containers": n}) for s, n in sorted({(r["section"], r["containers"]) for r in own})]
        groups, sections = collections.OrderedDict(), collections.Counter()
        fatbins = {k["id"]: text(k["section"]) for k in document["containers"] if k["kind"] == "fatbin"}
        for section in fatbins.values():
            sections[section] += 1
        parts = set()
        for o in document["objects"]:
            if o["container"] not in fatbins:
                continue
            key = "%s %s %s" % (fatbins[o["container"]], object_word(o, kinds), o["target"])
            if PART.search(o["id"]):
                entry = o["id"].rsplit(".", 1)[0]
                if entry in parts:
                    continue
                parts.add(entry)
                key = "%s concatenated sm_0" % fatbins[o["container"]]
            row = groups.setdefault(key, {"entries": 0, "compressed": 0})
            row["entries"] += 1
            row["compressed"] += o["compression"] != "none"
        ours = list(groups.items()) + [("%s containers" % s, {"containers": n}) for s, n in sections.items()]
        c.pair(file, theirs, ours, ("entries", "compressed", "containers"))


def cubin_kernels(document, sections=None):
    """(kernel, its object) of all cubins, or of those in the given sections."""
    objects = objects_of(document)
    for k in document["kernels"]:
        o = objects[k["object"]]
        if o["kind"] == "cubin" and (sections is None or o["section"] in sections):
            yield k, o


def resources(k):
    """A kernel in the spelling of -res-usage."""
    banks = k["constant_banks"] or {}
    return {"registers": k["registers"], "stack": "UNKNOWN" if k["stack_bytes"] is None else k["stack_bytes"],
            "shared": k["shared_section_bytes"] or 0,
            "constants": ",".join("%s:%s" % bank for bank in sorted(banks.items()))}


def sorted_banks(cell):
    return ",".join(sorted(cell.split(","))) if cell != "-" else cell


def nvidia_kernels(c, rows, remarks):
    gave_up = {file for file, _ in remarks}
    for file, own in c.by_file(rows):
        theirs = [("%s %s" % (r["target"], r["function"]),
                   {"registers": r["registers"], "stack": r["stack"], "shared": r["shared"],
                    "constants": sorted_banks(r["constants"])})
                  for r in own if r["function"] != "(common)"]
        ours = [("%s %s" % (o["target"], k["name"]), resources(k)) for k, o in cubin_kernels(c.answers[file])]
        if file in gave_up:
            wanted = {subject for subject, _ in theirs}
            ours = [(s, row) for s, row in ours if s in wanted]
        c.pair(file, theirs, ours, ("registers", "stack", "shared", "constants"))
    c.refused(remarks)


SPACES = {"0x0": "-", "0x1": "local", "0x2": "shared", "0x4": "global", "0x5": "generic"}


def numbers(cell):
    return [int(n, 16) for n in cell.split()]


def nvidia_nvinfo(c, rows, remarks):
    for file, own in c.by_file(rows):
        document = c.answers[file]
        cubins = cuda_objects(document)
        kernels = {k["name"]: k for k, _ in cubin_kernels(document)}
        names, parameters = collections.defaultdict(list), collections.defaultdict(dict)
        for r in own:
            if r["record"] == "header" and cubins:
                nvinfo_header(c, file, r["value"], cubins[0])
            elif r["record"] == "note" and r["name"] == "CUDA Tool Kit Version" and cubins:
                c.same(file, "note", "toolkit", dotted(r["value"]), cubins[0]["toolkit"])
            elif r["record"] == "nvinfo" and r["function"] in kernels:
                if r["section"] != ".nv.info":
                    names[r["function"]].append(r["name"])
                nvinfo_record(c, file, r, kernels[r["function"]], parameters)
        for function, attributes in names.items():
            nvinfo_names(c, file, function, attributes, kernels[function])
        for function, k in kernels.items():
            listed = [p for _, p in sorted(parameters[function].items())]
            ours = ["%s@%s %s %s" % (p["size"], p["offset"], text(p["address_space"]), text(p["pointee_align"]))
                    for p in k["parameters"] or []]
            c.same(file, function, "parameters", "; ".join(listed), "; ".join(ours))
            c.same(file, function, "parameter_count", len(listed), k["parameter_count"])
    c.refused(remarks)


def dotted(toolkit):
    """130, 13.0 -> 13.0"""
    return toolkit if "." in toolkit else "%s.%s" % (toolkit[:-1], toolkit[-1])


def nvinfo_header(c, file, value, o):
    head = dict(pair.split("=") for pair in value.split())
    c.same(file, "header", "target", "sm_" + head["sm"], o["payload_target"])
    c.same(file, "header", "flags", int(head["flags"], 16), (o["cuda_target_header"] or {}).get("e_flags"))
    c.same(file, "header", "relocatable", head["type"] in ("ET_REL", "1"), o["relocatable"])
    c.same(file, "header", "toolkit", dotted(head["toolkit"]), o["toolkit"])


def nvinfo_record(c, file, r, k, parameters):
    name, subject = r["name"].replace("EIATTR_", ""), r["function"]
    pairs = dict(p.split("=") for p in r["value"].split() if "=" in p)
    if name in ("KPARAM_INFO", "KPARAM_INFO_V2"):
        align = int(pairs["logalign"], 16)
        parameters[subject][int(pairs["ordinal"], 16)] = "%d@%d %s %s" % (
            int(pairs["size"], 16), int(pairs["offset"], 16), SPACES.get(pairs["space"], pairs["space"]),
            1 << align if align else "-")
    elif name == "REGCOUNT":
        c.same(file, subject, "registers", pairs["register_count"], k["registers"])
    elif name == "MIN_STACK_SIZE":
        size = int(pairs["min_stack_size"], 16)
        c.same(file, subject, "stack", "-" if size == 0xFFFFFFFF else size, k["stack_bytes"])
    elif name == "FRAME_SIZE":
        c.same(file, subject, "frame", int(pairs["frame_size"], 16), k["local_bytes"])
    elif name == "NUM_BARRIERS":
        c.same(file, subject, "barriers", int(r["value"], 16), k["barriers"])
    elif name == "CBANK_PARAM_SIZE":
        c.same(file, subject, "parameter_bytes", int(r["value"], 16), k["parameter_bytes"])
    elif name == "PARAM_CBANK":
        c.same(file, subject, "parameter_base", numbers(r["value"])[1] & 0xFFFF, k["parameter_base"])
    elif name == "MAXREG_COUNT":
        limit = int(r["value"], 16)
        c.same(file, subject, "register_limit", "-" if limit == 0xFF else limit, k["register_limit"])
    elif name in ("MAX_THREADS", "REQNTID", "CTA_PER_CLUSTER"):
        field = {"MAX_THREADS": "max_threads", "REQNTID": "required_threads", "CTA_PER_CLUSTER": "cluster"}[name]
        c.same(file, subject, field, numbers(r["value"]), k[field])
    elif name == "MAX_CLUSTER_RANK":
        c.same(file, subject, "max_cluster_rank", numbers(r["value"])[0], k["max_cluster_rank"])


def nvinfo_names(c, file, function, theirs, k):
    """Every record of the kernel's section must be among its attributes; those that cuobjdump does not name at least
    by number."""
    named = {n.replace("EIATTR_", "") for n in theirs if n.startswith("EIATTR_")}
    ours = {a["name"] for a in k["attributes"]}
    for name in sorted(named - ours):
        c.same(file, function, "attribute " + name, "yes", "-")
    hidden = sum(n == "unknown Attribute" for n in theirs)
    c.same(file, function, "unnamed attributes", hidden, len(ours - named))


def ptxas_v(c, rows, remarks):
    """Rows name a cubin, or a source of the samples script that stands for several cubins, or a PTX text."""
    def file_of(r):
        source = {"k.cu": "cuda/cubin/%s.cubin", "res.cu": "cuda/cubin/res_%s.cubin"}.get(r["file"])
        if source:
            return source % r["target"]
        return "ptx/" + r["file"] if r["file"].endswith(".ptx") else r["file"]

    own = [dict(r, file=file_of(r)) for r in rows if r["entry"] == "yes"]
    for file, entries in c.by_file(own):
        kernels = {k["name"]: k for k in c.answers[file]["kernels"]}
        compiled = not file.endswith(".ptx")
        for r in entries:
            k = kernels.get(r["function"])
            c.same(file, r["function"], "kernel", "yes", k is not None)
            if not k:
                continue
            smem = 0 if r["smem"] == "-" else r["smem"]
            if compiled:
                c.same(file, r["function"], "registers", r["registers"], k["registers"])
                c.same(file, r["function"], "barriers", 0 if r["barriers"] == "-" else r["barriers"], k["barriers"])
            if compiled or k["shared_bytes"] is not None:
                c.same(file, r["function"], "smem", smem, k["shared_bytes"])
    c.refused([("ptx/" + file, message) for file, message in remarks])


# What a text declares must be what stands in the machine code that was made of it.
DECLARED = ("parameter_count", "parameter_bytes", "max_threads", "required_threads", "cluster", "max_cluster_rank")
SAME_IN_CUBINS = {"address_space": {"const": "global"}, "pointee_align": {1: None}}  # said as, not said


def ptx_and_cubins(answers, names):
    """A Comparison of each kernel of PTX with those of the same name in cubins for the same target in the same file, or
    of x.ptx with x_sm_*.cubin beside it."""
    c = Comparison("ptx-and-cubins", answers)
    for file in names:
        document = answers[file]
        objects = objects_of(document)
        machine = [(k, o["target"]) for k, o in cubin_kernels(document)]
        beside = None
        if file.endswith(".ptx"):
            for name in names:
                if fnmatch.fnmatchcase(name, file[:-4] + "_sm_*.cubin"):
                    machine += [(k, o["target"]) for k, o in cubin_kernels(answers[name])]
                    beside = name
        for k in document["kernels"]:
            o = objects[k["object"]]
            if o["kind"] != "ptx":
                continue
            for other, target in machine:
                if other["name"] == k["name"] and (beside or target == o["target"]):
                    c.files.add(file)
                    ptx_and_cubin(c, file, k, o, other)
            if beside:
                c.same(file, k["name"], "cubins", "yes", any(other["name"] == k["name"] for other, _ in machine))
    return c


def ptx_and_cubin(c, file, k, o, other):
    for field in DECLARED:
        c.same(file, k["name"], field, other[field], k[field])
    c.same(file, k["name"], "layout", layout(other), layout(k))
    for field, meaning in SAME_IN_CUBINS.items():
        c.same(file, k["name"], field, *[" ".join(text(meaning.get(p[field], p[field])) for p in row["parameters"] or [])
                                         for row in (other, k)])
    if k["register_limit"] is not None:  # else ptxas derives one from .maxntid
        c.same(file, k["name"], "register_limit", other["register_limit"], k["register_limit"])
    if not k["dynamic_shared"] and (o["module_shared_bytes"] == 0 or file.endswith("/layout.ptx")):
        c.same(file, k["name"], "shared_bytes", other["shared_bytes"], k["shared_bytes"])


# --- AMD, LLVM -----------------------------------------------------------------


def entry_id(o):
    """What llvm-objdump calls an object: a bundle's id, or one made of an offload binary's strings."""
    kind = attribute(o, "offload kind")
    if kind is None:
        return o["declared"] or "(bare)"
    return f"{kind}-{attribute(o, 'triple')}--{o['declared'] or ''}"


def hip_objects(c, rows, remarks):
    for file, own in c.by_file(rows):
        document = c.answers[file]
        theirs, hosts, ours = [], 0, []
        for r in own:
            if r["id"].startswith("host-"):
                hosts += 1
            elif r["id"] == "(bare)":
                theirs.append(("(bare)", {"payload": r["payload"], "member": r["member"]}))
            else:
                row = {"member": r["member"]}
                if r["payload"] != "-":
                    row["payload"] = r["payload"]
                elif r["kind"] == "offload image (llvm ir)":
                    row["payload"] = "bitcode"
                theirs.append((r["id"], row))
        for o in document["objects"]:
            ours.append((entry_id(o), {"payload": o["kind"], "member": o["member"]}))
        c.pair(file, theirs, ours, ("payload", "member"))
        c.same(file, "host entries", "rows", hosts, sum(k["host_entries"] for k in document["containers"]))
    c.refused(remarks)


ABI = {"0": ("1", "2"), "1": ("3",), "2": ("4",), "3": ("5",), "4": ("6",)}


def extent(cell):
    return None if cell == "-" else [int(n) for n in cell.split(",")]


def attribute(k, name):
    return next((a["value"] for a in k["attributes"] if a["name"] == name), None)


def amd_row(r):
    """A row of amd-kernels in gantry's fields."""
    row = {"flags": int(r["flags"].split()[0], 16), "symbol": r["symbol"], "sgprs": r["sgpr"], "vgprs": r["vgpr"],
           "agprs": r["agpr"], "sgpr_spills": r["sgpr_spill"], "vgpr_spills": r["vgpr_spill"], "shared_bytes": r["lds"],
           "local_bytes": r["private"], "parameter_bytes": r["kernarg_size"], "kernarg_align": r["kernarg_align"],
           "wavefront_size": r["wavefront"], "max_flat_threads": r["max_workgroup"],
           "required_threads": extent(r["reqd_workgroup"]), "workgroup_hint": r["workgroup_hint"].replace(",", " "),
           "parameter_count": r["arguments"], "hidden_parameter_count": r["hidden"], "member": r["member"],
           "version": ABI[r["abi"]], "parameters": r["argument_list"]}
    if r["target"] != "-":
        row["payload_target"] = r["target"].split("--", 1)[1]
    return row


def amd_answer(k, o, row):
    """gantry's kernel in the same fields."""
    fields = {f: k[f] for f in ("symbol", "sgprs", "vgprs", "agprs", "sgpr_spills", "vgpr_spills", "shared_bytes",
                                "local_bytes", "parameter_bytes", "wavefront_size", "max_flat_threads",
                                "required_threads", "parameter_count", "hidden_parameter_count")}
    fields["flags"], fields["member"], fields["payload_target"] = o["e_flags"], o["member"], o["payload_target"]
    fields["kernarg_align"] = attribute(k, "kernarg_segment_align")
    fields["workgroup_hint"] = attribute(k, "workgroup_size_hint")
    fields["version"] = o["version"]
    without_offsets = row and row["parameters"].startswith("-:")  # YAML has none
    fields["parameters"] = ";".join("%s:%s:%s" % ("-" if without_offsets else text(p["offset"]), text(p["size"]), p["kind"])
                                    for p in k["parameters"] or [])
    if not k["parameters"]:
        fields["parameters"] = None
    return fields


def amd_kernels(c, rows, remarks):
    for file, own in c.by_file(rows):
        document = c.answers[file]
        objects = objects_of(document)
        theirs = [("%s %s" % (r["entry"].split(":", 1)[-1], r["kernel"]), amd_row(r)) for r in own]
        wanted = dict(theirs)
        ours = []
        for k in document["kernels"]:
            o = objects[k["object"]]
            if o["kind"] != "amdgpu":
                continue
            subject = "%s %s" % (o["declared"] or "(bare)", k["name"])
            answer = amd_answer(k, o, wanted.get(subject))
            if subject in wanted:  # one of the versions that the ABI byte allows
                allowed = wanted[subject]["version"]
                answer["version"] = allowed if answer["version"] in allowed else answer["version"]
            ours.append((subject, answer))
        c.pair(file, theirs, ours, tuple(dict.fromkeys([*amd_row(own[0]), "payload_target"])))
    c.refused([(f, m) for f, m in remarks if m.startswith("exit")])


# --- libraries -------------------------------------------------------------------

LISTED = (".nv_fatbin", "__nv_relfatbin")  # the sections that cuobjdump reads


def library_objects(c, rows, remarks):
    kinds = {"cubin": "elf", "ptx": "ptx", "lto-ir": "nvvm"}
    for file, own in c.by_file(rows):
        theirs = [("%s %s" % (r["kind"], r["target"]), {"objects": r["objects"]}) for r in own if r["mode"] == "all"]
        counts = collections.Counter("%s %s" % (object_word(o, kinds), o["target"])
                                     for o in cuda_objects(c.answers[file])
                                     if file.endswith(".a") or o["section"] in LISTED)
        c.pair(file, theirs, [(s, {"objects": n}) for s, n in counts.items()], ("objects",))
    c.refused(remarks)


def library_kernel_counts(c, rows, remarks):
    for file, own in c.by_file(rows):
        names = collections.defaultdict(list)
        for k, o in cubin_kernels(c.answers[file], None if file.endswith(".a") else LISTED):
            names[o["target"]].append(k["name"])
        c.pair(file, [(r["target"], {"functions": r["functions"], "distinct": r["distinct_names"]}) for r in own],
               [(t, {"functions": len(n), "distinct": len(set(n))}) for t, n in names.items()], ("functions", "distinct"))


def library_kernels(c, rows, remarks):
    """A choice of functions: each must be among the kernels with the same resources."""
    fields = ("registers", "stack", "shared", "constants")
    for file, own in c.by_file(rows):
        ours = collections.defaultdict(set)
        for k, o in cubin_kernels(c.answers[file]):
            answer = resources(k)
            ours[o["target"], k["name"]].add(tuple(text(answer[f]) for f in fields))
        for r in own:
            theirs = tuple(sorted_banks(r[f]) if f == "constants" else r[f] for f in fields)
            found = ours.get((r["target"], r["function"]), set())
            c.same(file, "%s %s" % (r["target"], r["function"]), "resources", " ".join(theirs),
                   " ".join(theirs if theirs in found else min(found, default=("no such kernel",))))


TABLES = {
    "nvidia-objects": nvidia_objects, "nvidia-kernels": nvidia_kernels, "nvidia-nvinfo": nvidia_nvinfo,
    "cuda-containers": cuda_containers, "hip-objects": hip_objects, "amd-kernels": amd_kernels, "ptxas-v": ptxas_v,
}
LIBRARY_TABLES = {
    "library-objects": library_objects, "library-containers": cuda_containers,
    "library-kernel-counts": library_kernel_counts, "library-kernels": library_kernels,
}
TOOLKIT_TABLES = {"toolkit-kernels": nvidia_kernels, "toolkit-nvinfo": nvidia_nvinfo, "toolkit-objects": nvidia_objects}


def compare(tables, answers, golden):
    """One Comparison a table that is there and of whose files some are."""
    out = []
    for name, function in tables.items():
        path = os.path.join(golden, name + ".tsv")
        if os.path.exists(path):
            c = Comparison(name, answers)
            function(c, *[list(part) for part in read_table(path)])
            if c.files:
                out.append(c)
    return out


def known_differences(path=DIFFERENCES):
    rows, _ = read_table(path)
    for r in rows:
        if not r["reason"].strip():
            raise SystemExit("%s: a line without reason: %s" % (path, r))
    return rows


def matches(row, d):
    return all(fnmatch.fnmatchcase(getattr(d, f), row[f]) for f in Difference._fields)


def judge(comparisons, known):
    """(unlisted differences, listed ones that did not occur)."""
    used, unlisted = set(), []
    for c in comparisons:
        for d in c.found:
            fitting = [i for i, row in enumerate(known) if matches(row, d)]
            used.update(fitting)
            if not fitting:
                unlisted.append(d)
    stale = []
    for i, row in enumerate(known):
        if i in used:
            continue
        for c in comparisons:
            if fnmatch.fnmatchcase(c.table, row["table"]) and any(fnmatch.fnmatchcase(f, row["file"]) for f in c.files):
                stale.append(row)
                break
    return unlisted, stale


def tell(comparisons, unlisted, stale, out=sys.stdout):
    for c in comparisons:
        out.write("%-22s %3d files %6d values %4d differences\n" % (c.table, len(c.files), c.compared, len(c.found)))
    for d in unlisted:
        out.write("NOT LISTED: %s\n" % "\t".join(d))
    for row in stale:
        out.write("NO LONGER OCCURS: %s\n" % "\t".join(row[f] for f in Difference._fields))


def files_below(folder):
    """Paths of the files in it that can hold CUDA code, relative to it."""
    found = [os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names]
    return sorted(f for f in found if f.split("/")[0] in ("cuda", "ptx"))


LIBRARY_FIELDS = ("id,kind,section,target,declared,relocatable,compression,member,container,name,object,registers,stack_bytes,"
                  "shared_section_bytes,constant_banks,host_entries")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--gantry", required=True)
    ap.add_argument("--golden", required=True)
    ap.add_argument("--files")
    ap.add_argument("--libraries")
    ap.add_argument("--toolkits")
    ap.add_argument("--only", help="a pattern of table names")
    a = ap.parse_args()
    comparisons = []
    for folder, tables, options in ((a.files, TABLES, ()), (a.toolkits, TOOLKIT_TABLES, ()),
                                    (a.libraries, LIBRARY_TABLES, ("--fields", LIBRARY_FIELDS))):
        if folder:
            chosen = {n: t for n, t in tables.items() if not a.only or fnmatch.fnmatchcase(n, a.only)}
            comparisons += compare(chosen, Answers(a.gantry, folder, options), a.golden)
    answers = Answers(a.gantry, a.files)
    if a.files and (not a.only or fnmatch.fnmatchcase("ptx-and-cubins", a.only)):
        comparisons.append(ptx_and_cubins(answers, files_below(a.files)))
    wrong, singles = single_answers(answers) if a.files and not a.only else ([], 0)
    if not comparisons and not singles:
        print("nothing to compare")
        sys.exit(2)
    unlisted, stale = judge(comparisons, known_differences())
    tell(comparisons, unlisted, stale)
    print("%-22s %13d values %4d differences" % ("answers", singles, len(wrong)))
    for line in wrong:
        print("WRONG: %s: %s: expected %s, got %s" % line)
    sys.exit(1 if unlisted or stale or wrong else 0)


if __name__ == "__main__":
    main()
