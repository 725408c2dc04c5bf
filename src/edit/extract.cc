// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gantry/edit.h"

#include "base/digest.h"
#include "base/file.h"
#include "edit/object_path.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

namespace gantry::edit {

namespace {

namespace fs = std::filesystem;

std::string digest_of(Bytes bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.hex();
}

Result<std::string> digest_of_file(const std::string &path) {
  GANTRY_TRY(std::unique_ptr<FileSource> file, FileSource::open(path));
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  Buffer scratch;
  Sha256 digest;
  for (std::uint64_t at = 0; at < file->size(); at += kPiece) {
    GANTRY_TRY(Bytes piece, file->read_up_to(at, kPiece, scratch));
    digest.update(piece);
  }
  return digest.hex();
}

Result<void> make_folder(const fs::path &folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return fail(Errc::io, 0,
                "cannot create " + folder.string() + ": " + error.message());
  return {};
}

Result<void> write_new(const fs::path &path, Bytes bytes,
                       const std::string &digest) {
  GANTRY_CHECK(make_folder(path.parent_path()));
  // Told before anything is written; commit() keeps it for certain.
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(path, ignored)))
    return fail(Errc::io, 0, "exists already, and nothing is overwritten");
  GANTRY_TRY(OutputFile file, OutputFile::create(path.string()));
  GANTRY_CHECK(file.write(bytes));
  GANTRY_CHECK(file.commit(OutputFile::Existing::keep));
  GANTRY_TRY(std::string found, digest_of_file(path.string()));
  if (found != digest)
    return fail(Errc::corrupt, 0, "what was written reads back differently");
  return {};
}

// Takes payloads from several threads.
class Writer {
public:
  explicit Writer(const ExtractOptions &options) : options_(options) {}

  void write(const inspect::Object &object, Bytes bytes) {
    Extracted out;
    out.id = object.id;
    out.path = object_path(object, options_.stored);
    out.size = bytes.size();
    out.sha256 = digest_of(bytes);
    if (!options_.dry_run)
      if (auto done = write_new(fs::path(options_.folder) / out.path, bytes,
                                out.sha256);
          !done)
        out.failure = std::move(done).error().in(out.path);
    std::lock_guard lock(mutex_);
    done_.insert_or_assign(object.id, std::move(out));
  }

  // What became of an object; nothing when its payload was not reached.
  std::optional<Extracted> take(const inspect::Object &object) {
    if (auto it = done_.find(object.id); it != done_.end())
      return std::move(it->second);
    return std::nullopt;
  }

private:
  const ExtractOptions &options_;
  std::mutex mutex_;
  std::map<std::string, Extracted> done_;
};

std::string why_not(const inspect::Object &o, bool stored) {
  if (o.obfuscated && !stored)
    return "obfuscated: it cannot be decoded, only stored bytes (--raw) exist";
  if (stored && !o.encoded_bytes)
    return "it is stored together with others; without --raw it is decoded";
  if (!o.limitations.empty())
    return o.limitations.front().message;
  return "it has no bytes of its own";
}

bool was_interrupted(const inspect::Report &report) {
  return std::ranges::find(report.limitations, word(Errc::interrupted),
                           &inspect::Limitation::code) !=
         report.limitations.end();
}

// Of an object without a payload.
Extracted unwritten(const inspect::Object &object, bool stored) {
  Extracted out;
  out.id = object.id;
  out.path = object_path(object, stored);
  out.failure = Error{Errc::not_found, 0, why_not(object, stored), object.id};
  return out;
}

// `look` inspects the input with the options that it is given.
template <class Look>
Result<Extraction> extract_from(const ExtractOptions &options, Look look) {
  Writer writer(options);
  inspect::Options looking = options.inspect;
  looking.stored_payloads = options.stored;
  looking.payload = [&](const inspect::Object &object, Bytes bytes) {
    writer.write(object, bytes);
  };
  looking.done = {};
  Extraction out;
  GANTRY_TRY(out.report, look(looking));
  const bool interrupted = was_interrupted(out.report);
  for (const inspect::Object &object : out.report.objects) {
    if (!object.selected)
      continue;
    if (auto done = writer.take(object))
      out.objects.push_back(*std::move(done));
    else if (interrupted)
      out.not_reached++;
    else
      out.objects.push_back(unwritten(object, options.stored));
  }
  return out;
}

} // namespace

Result<Extraction> extract(const std::string &path,
                           const ExtractOptions &options) {
  return extract_from(options, [&](const inspect::Options &looking) {
    return inspect::file(path, looking);
  });
}

Result<Extraction> extract(Bytes bytes, const std::string &path,
                           const ExtractOptions &options) {
  return extract_from(options, [&](const inspect::Options &looking) {
    return inspect::memory(bytes, path, looking);
  });
}

} // namespace gantry::edit
