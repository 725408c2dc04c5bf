// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields of targets, objects and containers.

#include "report/fields.h"

#include <algorithm>
#include <array>

namespace gantry::report {

namespace {

using inspect::Container;
using inspect::Object;
using inspect::Report;
using inspect::TargetRow;

Cell flag_cell(const std::optional<bool> &flag) {
  return flag ? Cell(*flag) : Cell();
}

// ---- targets

const TargetRow &target(const Report &r, std::size_t i) { return r.targets[i]; }

Cell share(const Report &r, std::size_t i) {
  const auto &bytes = target(r, i).encoded_bytes;
  if (!bytes || r.usage.accounted_bytes == 0)
    return {};
  return static_cast<double>(*bytes) /
         static_cast<double>(r.usage.accounted_bytes);
}

constexpr std::array kTargets = {
    Field{"target",
          [](const Report &r, std::size_t i) {
            return text_cell(target(r, i).target);
          },
          nullptr, true},
    Field{"kind",
          [](const Report &r, std::size_t i) {
            return Cell(word(target(r, i).kind));
          },
          nullptr, true},
    Field{"relocatable",
          [](const Report &r, std::size_t i) {
            return flag_cell(target(r, i).relocatable);
          },
          nullptr, true},
    Field{"objects",
          [](const Report &r, std::size_t i) {
            return Cell(target(r, i).objects);
          },
          nullptr, true},
    Field{"kernels",
          [](const Report &r, std::size_t i) {
            return number_cell(target(r, i).kernels);
          },
          nullptr, true},
    Field{"encoded_bytes",
          [](const Report &r, std::size_t i) {
            return number_cell(target(r, i).encoded_bytes);
          },
          nullptr, true},
    Field{"decoded_bytes",
          [](const Report &r, std::size_t i) {
            return number_cell(target(r, i).decoded_bytes);
          },
          nullptr, true},
    Field{"share", share, nullptr, true},
    Field{"coverage",
          [](const Report &r, std::size_t i) {
            return Cell(word(target(r, i).coverage));
          },
          nullptr, true},
};

// ---- objects

const Object &object(const Report &r, std::size_t i) { return r.objects[i]; }

const Container &container_of(const Report &r, std::size_t i) {
  return r.containers[object(r, i).container];
}

// The innermost member of a package that an object lies in.
Cell member_of(const Report &r, std::size_t i) {
  for (std::uint32_t c = object(r, i).container; c != inspect::kNone;
       c = r.containers[c].parent)
    if (r.containers[c].kind == inspect::ContainerKind::member)
      return Cell(std::string_view(r.containers[c].id));
  return {};
}

void write_parents(const Report &r, std::size_t i, JsonWriter &json) {
  std::vector<std::uint32_t> chain;
  for (std::uint32_t c = object(r, i).container; c != inspect::kNone;
       c = r.containers[c].parent)
    chain.push_back(c);
  json.begin_array(JsonWriter::Lines::one);
  for (auto it = chain.rbegin(); it != chain.rend(); ++it)
    json.value(r.containers[*it].id);
  json.end_array();
}

void write_cuda_header(const Report &r, std::size_t i, JsonWriter &json) {
  const auto &header = object(r, i).cuda_header;
  if (!header)
    return json.null();
  json.begin_object(JsonWriter::Lines::one);
  json.member("os_abi", header->os_abi);
  json.member("e_flags", header->e_flags);
  json.key("location");
  write(header->location, json);
  json.end_object();
}

void write_attributes(const Report &r, std::size_t i, JsonWriter &json) {
  write(object(r, i).attributes, json);
}

constexpr std::array kObjects = {
    Field{"id",
          [](const Report &r, std::size_t i) {
            return Cell(std::string_view(object(r, i).id));
          },
          nullptr, true},
    Field{"member", member_of},
    Field{"kind",
          [](const Report &r, std::size_t i) {
            return Cell(word(object(r, i).kind));
          },
          nullptr, true},
    Field{"relocatable",
          [](const Report &r, std::size_t i) {
            return flag_cell(object(r, i).relocatable);
          }},
    Field{"container",
          [](const Report &r, std::size_t i) {
            return Cell(std::string_view(container_of(r, i).id));
          }},
    Field{"section",
          [](const Report &r, std::size_t i) {
            return text_cell(container_of(r, i).section);
          },
          nullptr, true},
    Field{"found_by",
          [](const Report &r, std::size_t i) {
            return Cell(word(object(r, i).found_by));
          }},
    Field{"declared",
          [](const Report &r, std::size_t i) {
            return text_cell(object(r, i).declared);
          }},
    Field{"target",
          [](const Report &r, std::size_t i) {
            return text_cell(object(r, i).target);
          },
          nullptr, true},
    Field{"payload_target",
          [](const Report &r, std::size_t i) {
            return text_cell(object(r, i).payload_target);
          }},
    Field{"target_consistency",
          [](const Report &r, std::size_t i) {
            return Cell(object(r, i).target_consistency);
          },
          nullptr, true},
    Field{"compression",
          [](const Report &r, std::size_t i) {
            return Cell(object(r, i).compression);
          },
          nullptr, true},
    Field{"obfuscated",
          [](const Report &r, std::size_t i) {
            return Cell(object(r, i).obfuscated);
          }},
    Field{"name", [](const Report &r,
                     std::size_t i) { return text_cell(object(r, i).name); }},
    Field{"options",
          [](const Report &r, std::size_t i) {
            return text_cell(object(r, i).options);
          }},
    Field{"toolkit",
          [](const Report &r, std::size_t i) {
            return text_cell(object(r, i).toolkit);
          }},
    Field{"version",
          [](const Report &r, std::size_t i) {
            return text_cell(object(r, i).version);
          }},
    Field{"encoded_bytes",
          [](const Report &r, std::size_t i) {
            return number_cell(object(r, i).encoded_bytes);
          },
          nullptr, true},
    Field{"decoded_bytes",
          [](const Report &r, std::size_t i) {
            return number_cell(object(r, i).decoded_bytes);
          },
          nullptr, true},
    Field{"location", nullptr,
          [](const Report &r, std::size_t i, JsonWriter &json) {
            write(object(r, i).location, json);
          }},
    Field{"encoded_location", nullptr,
          [](const Report &r, std::size_t i, JsonWriter &json) {
            write(object(r, i).encoded_location, json);
          }},
    Field{"digest",
          [](const Report &r,
             std::size_t i) { return text_cell(object(r, i).digest); }},
    Field{"parents", nullptr, write_parents},
    Field{"kernels",
          [](const Report &r,
             std::size_t i) { return number_cell(object(r, i).kernels); },
          nullptr, true},
    Field{
        "kernel_analysis",
        [](const Report &r,
           std::size_t i) { return Cell(word(object(r, i).kernel_analysis)); },
        nullptr, true},
    Field{"cuda_target_header", nullptr, write_cuda_header},
    Field{"e_flags",
          [](const Report &r,
             std::size_t i) { return number_cell(object(r, i).e_flags); }},
    Field{"module_shared_bytes",
          [](const Report &r,
             std::size_t
                 i) { return number_cell(object(r, i).module_shared_bytes); }},
    Field{"attributes", nullptr, write_attributes},
    Field{"limitations", nullptr,
          [](const Report &r, std::size_t i, JsonWriter &json) {
            write(object(r, i).limitations, json);
          }},
};

// ---- containers

const Container &container(const Report &r, std::size_t i) {
  return r.containers[i];
}

// A section's count stands in `entries`: the containers in it.
Cell object_count(const Report &r, std::size_t i) {
  // Objects follow their containers' order, so those of one stand together.
  auto [first, last] = std::ranges::equal_range(
      r.objects, static_cast<std::uint32_t>(i), {}, &Object::container);
  return static_cast<std::uint64_t>(last - first);
}

constexpr std::array kContainers = {
    Field{"id",
          [](const Report &r, std::size_t i) {
            return Cell(std::string_view(container(r, i).id));
          },
          nullptr, true},
    Field{"kind",
          [](const Report &r, std::size_t i) {
            return Cell(word(container(r, i).kind));
          },
          nullptr, true},
    Field{"found_by",
          [](const Report &r, std::size_t i) {
            return Cell(word(container(r, i).found_by));
          },
          nullptr, true},
    Field{"parent",
          [](const Report &r, std::size_t i) {
            std::uint32_t parent = container(r, i).parent;
            return parent == inspect::kNone
                       ? Cell()
                       : Cell(std::string_view(r.containers[parent].id));
          }},
    Field{"section",
          [](const Report &r, std::size_t i) {
            return text_cell(container(r, i).section);
          },
          nullptr, true},
    Field{"format",
          [](const Report &r, std::size_t i) {
            return text_cell(container(r, i).format);
          },
          nullptr, true},
    Field{"location", nullptr,
          [](const Report &r, std::size_t i, JsonWriter &json) {
            write(container(r, i).location, json);
          }},
    Field{"size",
          [](const Report &r, std::size_t i) {
            return Cell(container(r, i).location.size);
          },
          nullptr, true},
    Field{"decoded_bytes",
          [](const Report &r, std::size_t i) {
            return number_cell(container(r, i).decoded_bytes);
          },
          nullptr, true},
    Field{"compression",
          [](const Report &r, std::size_t i) {
            return Cell(container(r, i).compression);
          },
          nullptr, true},
    Field{"version",
          [](const Report &r, std::size_t i) {
            return number_cell(container(r, i).version);
          },
          nullptr, true},
    Field{"entries",
          [](const Report &r, std::size_t i) {
            return Cell(container(r, i).entries);
          },
          nullptr, true},
    Field{"host_entries",
          [](const Report &r, std::size_t i) {
            return Cell(container(r, i).host_entries);
          }},
    Field{"objects", object_count, nullptr, true},
    Field{"wrappers",
          [](const Report &r, std::size_t i) {
            return Cell(container(r, i).wrappers);
          }},
    Field{"padding_bytes",
          [](const Report &r, std::size_t i) {
            return Cell(container(r, i).padding_bytes);
          }},
    Field{"unrecognised_bytes",
          [](const Report &r, std::size_t i) {
            return Cell(container(r, i).unrecognised_bytes);
          }},
    Field{"coverage",
          [](const Report &r, std::size_t i) {
            return Cell(word(container(r, i).coverage));
          },
          nullptr, true},
    Field{"limitations", nullptr,
          [](const Report &r, std::size_t i, JsonWriter &json) {
            write(container(r, i).limitations, json);
          }},
};

} // namespace

std::span<const Field> target_fields() { return kTargets; }
std::span<const Field> object_fields() { return kObjects; }
std::span<const Field> container_fields() { return kContainers; }

} // namespace gantry::report
