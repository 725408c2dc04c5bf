// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields of kernels. One table for all vendors: what an architecture does not
// have is null.

#include "base/demangle.h"
#include "base/text.h"
#include "report/fields.h"

#include <array>

namespace gantry::report {

namespace {

using inspect::Kernel;
using inspect::Report;

const Kernel &kernel(const Report &r, std::size_t i) { return r.kernels[i]; }

template <auto Member> Cell number(const Report &r, std::size_t i) {
  return number_cell(kernel(r, i).*Member);
}

template <auto Member> Cell text(const Report &r, std::size_t i) {
  return text_cell(kernel(r, i).*Member);
}

template <auto Member>
void extent(const Report &r, std::size_t i, JsonWriter &json) {
  const std::optional<inspect::Extent3> &e = kernel(r, i).*Member;
  if (!e)
    return json.null();
  json.begin_array(JsonWriter::Lines::one);
  for (std::uint32_t v : *e)
    json.value(v);
  json.end_array();
}

// The readable name; the name itself where it is not mangled.
Cell demangled(const Report &r, std::size_t i) {
  const inspect::Kernel &k = kernel(r, i);
  if (!k.demangled.empty())
    return text_cell(k.demangled);
  std::string readable = demangle(k.name);
  return readable.empty() ? text_cell(k.name) : printable(readable);
}

Cell object_id(const Report &r, std::size_t i) {
  return std::string_view(r.objects[kernel(r, i).object].id);
}

Cell target(const Report &r, std::size_t i) {
  return text_cell(r.objects[kernel(r, i).object].target);
}

Cell dynamic_shared(const Report &r, std::size_t i) {
  const auto &flag = kernel(r, i).dynamic_shared;
  return flag ? Cell(*flag) : Cell();
}

template <class Pairs> void write_pairs(const Pairs &pairs, JsonWriter &json) {
  json.begin_object(JsonWriter::Lines::one);
  for (const auto &[key, value] : pairs) {
    if constexpr (std::is_convertible_v<decltype(key), std::string_view>)
      json.key(printable(key));
    else
      json.key(std::to_string(key));
    if constexpr (std::is_convertible_v<decltype(value), std::string_view>)
      json.value(printable(value));
    else
      json.value(value);
  }
  json.end_object();
}

void virtual_registers(const Report &r, std::size_t i, JsonWriter &json) {
  const auto &pairs = kernel(r, i).virtual_registers;
  pairs ? write_pairs(*pairs, json) : json.null();
}

void constant_banks(const Report &r, std::size_t i, JsonWriter &json) {
  const Kernel &k = kernel(r, i);
  k.representation != "sass" ? json.null()
                             : write_pairs(k.constant_banks, json);
}

void attributes(const Report &r, std::size_t i, JsonWriter &json) {
  write(kernel(r, i).attributes, json);
}

void text_member(JsonWriter &json, std::string_view name,
                 std::string_view value) {
  if (value.empty())
    json.null_member(name);
  else
    json.member(name, printable(value));
}

void parameters(const Report &r, std::size_t i, JsonWriter &json) {
  const Kernel &k = kernel(r, i);
  if (!k.parameters_known && k.parameters.empty())
    return json.null();
  json.begin_array();
  for (const inspect::Parameter &p : k.parameters) {
    json.begin_object(JsonWriter::Lines::one);
    text_member(json, "name", p.name);
    json.member("offset", p.offset);
    json.member("size", p.size);
    text_member(json, "kind", p.kind);
    text_member(json, "address_space", p.address_space);
    text_member(json, "type_name", p.type_name);
    text_member(json, "access", p.access);
    json.member("pointee_align", p.pointee_align);
    json.member("hidden", p.hidden);
    json.end_object();
  }
  json.end_array();
}

constexpr std::array kKernels = {
    Field{"name", text<&Kernel::name>},
    Field{"demangled", demangled, nullptr, true},
    Field{"object", object_id},
    Field{"target", target, nullptr, true},
    Field{"representation", text<&Kernel::representation>, nullptr, true},
    Field{"registers", number<&Kernel::registers>, nullptr, true},
    Field{"virtual_registers", nullptr, virtual_registers},
    Field{"shared_bytes", number<&Kernel::shared_bytes>, nullptr, true},
    Field{"shared_section_bytes", number<&Kernel::shared_section_bytes>},
    Field{"dynamic_shared", dynamic_shared},
    Field{"local_bytes", number<&Kernel::local_bytes>, nullptr, true},
    Field{"stack_bytes", number<&Kernel::stack_bytes>},
    Field{"code_bytes", number<&Kernel::code_bytes>},
    Field{"barriers", number<&Kernel::barriers>},
    Field{"register_limit", number<&Kernel::register_limit>},
    Field{"max_threads", nullptr, extent<&Kernel::max_threads>},
    Field{"required_threads", nullptr, extent<&Kernel::required_threads>},
    Field{"cluster", nullptr, extent<&Kernel::cluster>},
    Field{"max_cluster_rank", number<&Kernel::max_cluster_rank>},
    Field{"max_flat_threads", number<&Kernel::max_flat_threads>},
    Field{"parameter_count", number<&Kernel::parameter_count>, nullptr, true},
    Field{"hidden_parameter_count", number<&Kernel::hidden_parameter_count>},
    Field{"parameter_bytes", number<&Kernel::parameter_bytes>, nullptr, true},
    Field{"parameter_base", number<&Kernel::parameter_base>},
    Field{"parameters", nullptr, parameters},
    Field{"constant_banks", nullptr, constant_banks},
    Field{"sgprs", number<&Kernel::sgprs>},
    Field{"vgprs", number<&Kernel::vgprs>},
    Field{"agprs", number<&Kernel::agprs>},
    Field{"sgpr_spills", number<&Kernel::sgpr_spills>},
    Field{"vgpr_spills", number<&Kernel::vgpr_spills>},
    Field{"allocated_vgprs", number<&Kernel::allocated_vgprs>},
    Field{"allocated_sgprs", number<&Kernel::allocated_sgprs>},
    Field{"wavefront_size", number<&Kernel::wavefront_size>},
    Field{"language", text<&Kernel::language>},
    Field{"symbol", text<&Kernel::symbol>},
    Field{"derived_name",
          [](const Report &r, std::size_t i) {
            return Cell(kernel(r, i).derived_name);
          }},
    Field{"attributes", nullptr, attributes},
    Field{"limitations", nullptr,
          [](const Report &r, std::size_t i, JsonWriter &json) {
            write(kernel(r, i).limitations, json);
          }},
};

} // namespace

std::span<const Field> kernel_fields() { return kKernels; }

} // namespace gantry::report
