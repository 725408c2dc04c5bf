// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gantry/edit.h"

#include "base/digest.h"
#include "base/file.h"
#include "edit/object_path.h"

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

  // What became of an object, also of one without a payload.
  Extracted take(const inspect::Object &object) {
    if (auto it = done_.find(object.id); it != done_.end())
      return std::move(it->second);
    Extracted out;
    out.id = object.id;
    out.path = object_path(object, options_.stored);
    std::string why = "it has no bytes of its own";
    if (!object.limitations.empty())
      why = object.limitations.front().message;
    else if (options_.stored && !object.encoded_bytes)
      why = "it is stored together with others; without --raw it is decoded";
    out.failure = Error{Errc::not_found, 0, std::move(why), object.id};
    return out;
  }

private:
  const ExtractOptions &options_;
  std::mutex mutex_;
  std::map<std::string, Extracted> done_;
};

} // namespace

Result<Extraction> extract(const std::string &path,
                           const ExtractOptions &options) {
  Writer writer(options);
  inspect::Options looking = options.inspect;
  looking.stored_payloads = options.stored;
  looking.payload = [&](const inspect::Object &object, Bytes bytes) {
    writer.write(object, bytes);
  };
  looking.done = {};
  Extraction out;
  GANTRY_TRY(out.report, inspect::file(path, looking));
  for (const inspect::Object &object : out.report.objects)
    if (object.selected)
      out.objects.push_back(writer.take(object));
  return out;
}

} // namespace gantry::edit
