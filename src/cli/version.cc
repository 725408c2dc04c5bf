// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gantry version. The versions of the libraries come from the build (GANTRY_…),
// because their headers belong to other rooms.
#include "base/json.h"
#include "cli/dispatch.h"
#include "cli/parse.h"

#include <fmt/core.h>

namespace gantry::cli {

namespace {

struct Library {
  std::string_view name;
  std::string_view version;
};
constexpr Library kLibraries[] = {GANTRY_LIBRARIES};

#if defined(__clang__)
constexpr std::string_view kCompiler = "clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "gcc " __VERSION__;
#endif

// clang's version ends with a blank or with the repository it came from.
std::string_view compiler() {
  return kCompiler.substr(0, kCompiler.find(' ', kCompiler.find(' ') + 1));
}

std::string as_text() {
  std::string out = fmt::format("gantry {}\n", GANTRY_VERSION);
  for (const Library &library : kLibraries)
    out += fmt::format("{} {}\n", library.name, library.version);
  return out + fmt::format("compiler {}\n", compiler());
}

std::string as_json() {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("schema", "gantry.version/1");
  json.member("version", GANTRY_VERSION);
  json.key("libraries");
  json.begin_array();
  for (const Library &library : kLibraries) {
    json.begin_object(JsonWriter::Lines::one);
    json.member("name", library.name);
    json.member("version", library.version);
    json.end_object();
  }
  json.end_array();
  json.member("compiler", compiler());
  json.end_object();
  return out;
}

int run(const Arguments &arguments, Console &console) {
  return print(arguments.has("json") ? as_json() : as_text(), console);
}

constexpr Option kOptions[] = {kJson};

constexpr Status kStatuses[] = {
    {0, "The version was printed."},
    {2, "Wrong usage, or writing failed."},
};

} // namespace

constinit const Verb kVersion{.name = "version",
                              .group = "Learn",
                              .summary =
                                  "version of gantry, and what is compiled in",
                              .options = kOptions,
                              .statuses = kStatuses,
                              .run = run};

} // namespace gantry::cli
