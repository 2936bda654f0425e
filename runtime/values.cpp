// SPDX-License-Identifier: Apache-2.0
#include <rhizome/runtime/values.hpp>

namespace rhizome::runtime {
namespace {

constexpr std::string_view names[] = {"none", "float", "double", "int32", "int64"};

std::uint64_t bytes_of(value_type type) {
    switch (type) {
    case value_type::none:
        return 0;
    case value_type::float32:
    case value_type::int32:
        return 4;
    case value_type::float64:
    case value_type::int64:
        break;
    }
    return 8;
}

} // namespace

std::string_view name_of(value_type type) { return names[static_cast<std::size_t>(type)]; }

values_view values_view::subspan(std::uint64_t first, std::uint64_t count) const {
    values_view part = *this;
    if (empty()) return part;
    if (first > size_ || count > size_ - first) throw std::out_of_range("values_view::subspan");
    part.data_ = static_cast<char const*>(data_) + first * bytes_of(type_);
    part.size_ = count;
    return part;
}

} // namespace rhizome::runtime
