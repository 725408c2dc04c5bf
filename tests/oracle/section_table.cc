// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the section tables of PE, COFF and Mach-O files, for comparison with
// other tools: index, name, offset and size as the table states them.
#include "base/file.h"
#include "format/macho.h"
#include "format/pe.h"

#include <cinttypes>
#include <cstdio>
#include <string>

using namespace gantry;

static void print(std::uint32_t index, std::string_view name,
                  std::uint64_t offset, std::uint64_t size) {
  std::printf("%u\t%.*s\t%" PRIu64 "\t%" PRIu64 "\n", index,
              static_cast<int>(name.size()), name.data(), offset, size);
}

static bool print_pe(const Source &source) {
  auto file = pe::File::open(source, Limits{});
  if (!file)
    return false;
  for (const Error &e : file->damage())
    std::fprintf(stderr, "%s\n", e.text().c_str());
  for (const pe::Section &s : file->sections())
    print(s.index, file->name(s).value_or("?"), s.raw_offset, s.raw_size);
  return file->damage().empty();
}

static bool print_macho(const Source &source) {
  auto file = macho::File::open(source, Limits{});
  if (!file)
    return false;
  for (const Error &e : file->damage())
    std::fprintf(stderr, "%s\n", e.text().c_str());
  for (const macho::Section &s : file->sections())
    print(s.index, s.name, s.offset, s.size);
  return file->damage().empty();
}

static bool print_universal(const Source &source) {
  auto slices = macho::read_slices(source);
  if (!slices || !slices->damage.empty())
    return false;
  for (const macho::Slice &s : slices->list)
    if (!print_macho(SliceSource(source, s.offset, s.size)))
      return false;
  return true;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  auto file = FileSource::open(argv[1]);
  if (!file)
    return 2;
  const Source &source = **file;
  return print_pe(source) || print_universal(source) || print_macho(source) ? 0
                                                                            : 1;
}
