// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gantry inspect FILE…
#include "cli/inspect.h"

#include "cli/inspect_run.h"
#include "cli/tell.h"

namespace gantry::cli {

namespace {

int run(const Arguments &arguments, Console &console) {
  console.quiet = arguments.has("quiet");
  console.verbose = arguments.has("verbose");
  auto request = inspect_request(arguments);
  if (!request)
    return console.fail(request.error());
  tell_unknown_targets(console, request->question.options.targets);
  const Interrupt interrupt(request->timeout);
  const Inputs inputs = find_inputs(arguments.operands(), interrupt.token());
  if (const auto good = check_inputs(arguments, inputs); !good)
    return console.fail(good.error());
  auto output = Output::open(arguments.value("output"));
  if (!output)
    return console.fail(output.error());
  set_style(request->question.view, arguments, console, *output);
  const int status =
      InspectRun(*request, inputs, interrupt, console, *output).run();
  if (const auto done = output->finish(); !done) {
    console.complain(done.error());
    return kStatusError;
  }
  return status;
}

constexpr std::string_view kAnalysisWords[] = {"inventory", "kernels"};

constexpr Option kOptions[] = {
    kShow,
    kFields,
    kDetail,
    kLimit,
    kAfter,
    kOffset,
    kLength,
    {.name = "analysis",
     .value = "HOW",
     .kind = ValueKind::choice,
     .help = "inventory (default) reads headers; kernels decodes the selected "
             "code objects and reads the kernels in them.",
     .group = kAnalysisGroup,
     .choices = kAnalysisWords},
    {.name = "no-digest",
     .help = "Do not read the whole file for its SHA-256 and for code in "
             "unknown places. Much faster; coverage then is partial.",
     .group = kAnalysisGroup},
    {.name = "deep",
     .help = "Search the whole file for code even with --no-digest, and open "
             "members of packages whatever their names.",
     .group = kAnalysisGroup},
    kStrict,
    kTimeout,
    kBudget,
    kTarget,
    kKind,
    kKernel,
    kObject,
    kExpectSha256,
    kFrom,
    {.name = "evidence",
     .value = "FILE",
     .kind = ValueKind::path,
     .help = "Save all that is found out, PTX texts too, for gantry view; "
             "implies --analysis kernels.",
     .group = kSameFileGroup},
    kJson,
    kNdjson,
    kOutput,
    kJobs,
    kQuiet,
    kVerbose,
    kColor,
};

constexpr Status kStatuses[] = {
    {0, "GPU code (with --kernel: a kernel of that name) was found."},
    {1,
     "Nothing was found, and everything was looked at; of several files: one "
     "of them has nothing, whatever the others have."},
    {2, "Error: wrong usage, no file could be read or was the expected one, or "
        "writing failed."},
    {3, "Some files could not be read, the others were done; with --strict "
        "also: not all of a file was looked at."},
    {4, "Nothing was found, but not all was looked at (--no-digest, a "
        "selection, damage, a limit, an interrupt)."},
};

constexpr Example kExamples[] = {
    {"gantry inspect libtorch_cuda.so",
     "Which targets does this library carry code for?"},
    {"gantry inspect --show kernels --target sm_90 libmine.so",
     "Registers, shared memory and parameters of the kernels for one target."},
    {"gantry inspect --kernel 'axpy(float, float*)' libmine.so",
     "Which targets have this kernel?"},
    {"gantry inspect --show objects --limit 20 --evidence mine.evidence "
     "mine.whl",
     "The first objects in a wheel; everything else for gantry view."},
    {"gantry inspect --json --show objects,kernels -o facts.json a.so b.so",
     "Everything about two files, for a program."},
};

} // namespace

constinit const Verb kInspect{
    .name = "inspect",
    .group = "Look into files",
    .summary = "what GPU code is in this file, for which targets",
    .about =
        "Reads CUDA fat binaries, cubins, PTX, HIP bundles (also compressed), "
        "AMDGPU code objects and other device code, alone or inside programs, "
        "libraries, archives, wheels and packages. Nothing is executed, and "
        "neither a GPU nor a vendor's tool is needed.\n\n"
        "A FILE may be a folder: all regular files below it, in the order of "
        "their names, without following symbolic links. - is standard "
        "input.\n\n"
        "What is analysed, selected and shown are separate: with --analysis "
        "kernels --show targets the rows of targets count kernels.",
    .operand = {"FILE", ValueKind::path, 1, SIZE_MAX},
    .options = kOptions,
    .statuses = kStatuses,
    .examples = kExamples,
    .topics = "targets, kinds, containers, coverage, limitations, fields, ids, "
              "pages",
    .run = run};

} // namespace gantry::cli
