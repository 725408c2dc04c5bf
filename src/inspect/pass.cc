// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file is read in chunks into a ring of buffers. The digest runs on a
// thread of its own, since it is the slowest of the three jobs (read, search,
// digest) and then sets the pace alone.

#include "inspect/pass.h"

#include "base/digest.h"
#include "inspect/decode.h"

#include <algorithm>
#include <array>
#include <semaphore>
#include <system_error>
#include <thread>

namespace gantry::inspect {

namespace {

constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;
constexpr std::size_t kSlots = 4;

// Finds hits in chunks that follow each other, also across their seams.
class Searcher {
public:
  Searcher(const PassWants &wants, const std::vector<Location> &known,
           const Options &options, std::uint64_t total)
      : found_(wants.found), known_(known), left_(options.limits.candidates),
        total_(total) {}

  // `at` is where the chunk starts in the file.
  void add(Bytes chunk, std::uint64_t at) {
    // The seam: hits that start in the last bytes of the chunk before and need
    // the first ones of this.
    std::size_t head = std::min<std::size_t>(kLookAhead - 1, chunk.size());
    std::ranges::copy(chunk.first(head), seam_.begin() + tail_);
    look(Bytes(seam_).first(tail_ + head), at - tail_, tail_);
    // Chunks are longer than the look-ahead except for the last of the file.
    std::size_t keep = std::min<std::size_t>(kLookAhead - 1, chunk.size());
    look(chunk, at, chunk.size() - keep);
    std::ranges::copy(chunk.last(keep), seam_.begin());
    tail_ = keep;
  }

  void finish() { look(Bytes(seam_).first(tail_), total_ - tail_, tail_); }

  bool overflow = false;

private:
  // Hits that start in the first `starts` bytes of the window.
  void look(Bytes window, std::uint64_t at, std::uint64_t starts) {
    scan(window, [&](std::uint64_t i) {
      if (i >= starts || is_known(at + i))
        return;
      auto magic =
          recognise(window.subspan(i, std::min(kLookAhead, window.size() - i)),
                    total_ - at - i);
      if (!magic)
        return;
      if (left_ == 0) {
        overflow = true;
        return;
      }
      left_--;
      found_({at + i, *magic, window, at});
    });
  }

  bool is_known(std::uint64_t offset) {
    while (next_known_ < known_.size() &&
           known_[next_known_].offset + known_[next_known_].size <= offset)
      next_known_++;
    return next_known_ < known_.size() && known_[next_known_].offset <= offset;
  }

  const std::function<void(const Hit &)> &found_;
  const std::vector<Location> &known_;
  std::uint64_t left_; // hits that may still come
  std::uint64_t total_;
  std::size_t next_known_ = 0;
  std::array<std::byte, 2 * kLookAhead> seam_;
  std::size_t tail_ = 0;
};

// Hashes chunks in order beside the thread that reads them.
class Hasher {
public:
  Hasher(bool wanted, bool threaded) : wanted_(wanted) {
    if (!wanted || !threaded)
      return;
    try {
      thread_ = std::jthread([this] { work(); });
    } catch (const std::system_error &) {
      // No thread to be had: submit() does the work.
    }
  }
  ~Hasher() { stop(); }

  // Waits until slot `i` may be overwritten.
  void acquire() {
    if (thread_.joinable())
      free_.acquire();
  }
  // Hands over the bytes of the slot acquired last.
  void submit(Bytes bytes) {
    if (!wanted_)
      return;
    if (!thread_.joinable()) {
      digest_.update(bytes);
      return;
    }
    chunks_[next_++ % kSlots] = bytes;
    full_.release();
  }
  std::string finish() {
    stop();
    return wanted_ ? digest_.hex() : std::string();
  }

private:
  void work() {
    for (std::size_t i = 0;; i++) {
      full_.acquire();
      Bytes bytes = chunks_[i % kSlots];
      if (bytes.empty())
        return;
      digest_.update(bytes);
      free_.release();
    }
  }
  void stop() {
    if (!thread_.joinable())
      return;
    free_.acquire();
    chunks_[next_++ % kSlots] = {};
    full_.release();
    thread_.join();
  }

  bool wanted_;
  Sha256 digest_;
  std::array<Bytes, kSlots> chunks_;
  std::size_t next_ = 0;
  std::counting_semaphore<kSlots> free_{kSlots};
  std::counting_semaphore<kSlots> full_{0};
  std::jthread thread_;
};

} // namespace

PassResult read_all(const Source &source, const PassWants &wants,
                    const std::vector<Location> &known,
                    const Options &options) {
  PassResult out;
  const std::uint64_t total = source.size();
  Searcher searcher(wants, known, options, total);
  Hasher hasher(wants.digest, thread_count(options) > 1 && total > kChunk);
  std::array<Buffer, kSlots> slots;
  for (std::uint64_t at = 0, i = 0; at < total; i++) {
    if (options.stop.stop_requested()) {
      out.damage = Error{Errc::interrupted, at, "interrupted", {}};
      break;
    }
    hasher.acquire();
    auto chunk =
        source.read(at, std::min(kChunk, total - at), slots[i % kSlots]);
    if (!chunk) {
      out.damage = chunk.error();
      break;
    }
    hasher.submit(*chunk);
    if (wants.found)
      searcher.add(*chunk, at);
    at += chunk->size();
    if (options.progress)
      options.progress(at, total);
  }
  std::string sha256 = hasher.finish();
  if (!out.damage) {
    out.sha256 = std::move(sha256);
    if (wants.found)
      searcher.finish();
    if (searcher.overflow)
      out.damage = Error{Errc::too_large,
                         0,
                         "places that look like code (limit candidates)",
                         {}};
  }
  return out;
}

} // namespace gantry::inspect
