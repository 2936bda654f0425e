// SPDX-License-Identifier: Apache-2.0
// Values of edges whose type is known at run time only.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace rhizome::runtime {

/// The type of the values that the edges of a graph have.
enum class value_type : std::uint8_t { none, float32, float64, int32, int64 };

/// All of them, in their order.
inline constexpr value_type value_types[] = {value_type::none, value_type::float32, value_type::float64,
                                             value_type::int32, value_type::int64};

/// "none", "float", "double", "int32", "int64".
[[nodiscard]] std::string_view name_of(value_type type);

/// The value_type of a C++ type; void is `none`.
template <class T>
[[nodiscard]] constexpr value_type value_type_for() {
    if constexpr (std::is_void_v<T>)
        return value_type::none;
    else if constexpr (std::is_same_v<T, float>)
        return value_type::float32;
    else if constexpr (std::is_same_v<T, double>)
        return value_type::float64;
    else if constexpr (std::is_same_v<T, std::int32_t>)
        return value_type::int32;
    else {
        static_assert(std::is_same_v<T, std::int64_t>, "float, double, std::int32_t or std::int64_t");
        return value_type::int64;
    }
}

/// Values in host memory that the caller owns, or none. Converts from spans and vectors.
class values_view {
public:
    values_view() = default;
    template <class T>
    values_view(std::span<T> values)
        : type_(value_type_for<std::remove_const_t<T>>()), data_(values.data()), size_(values.size()) {}
    template <class T>
    values_view(std::vector<T> const& values) : values_view(std::span(values)) {}

    [[nodiscard]] value_type type() const { return type_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] void const* data() const { return data_; } ///< of type(); nullptr if there are none
    /// The values as what they are. Throws std::invalid_argument where T is another type; an empty view is
    /// of any type.
    template <class T>
    [[nodiscard]] std::span<T const> as() const {
        if (empty()) return {};
        if (type_ != value_type_for<T>())
            throw std::invalid_argument("edge values of type " + std::string(name_of(type_)) +
                                        ", where they must be " + std::string(name_of(value_type_for<T>())));
        return {static_cast<T const*>(data_), size_};
    }
    [[nodiscard]] values_view subspan(std::uint64_t first, std::uint64_t count) const;

private:
    value_type type_ = value_type::none;
    void const* data_ = nullptr;
    std::uint64_t size_ = 0;
};

/// Values in host memory, or none; owns them.
class values {
public:
    values() = default;
    template <class T>
    values(std::vector<T> given) : held_(std::move(given)) {}

    [[nodiscard]] value_type type() const { return static_cast<value_type>(held_.index()); }
    [[nodiscard]] std::uint64_t size() const { return view().size(); }
    [[nodiscard]] values_view view() const {
        return std::visit(
            [](auto const& held) -> values_view {
                if constexpr (std::is_same_v<std::remove_cvref_t<decltype(held)>, std::monostate>)
                    return {};
                else
                    return {held};
            },
            held_);
    }
    /// The vector itself. Throws std::bad_variant_access where T is another type.
    template <class T>
    [[nodiscard]] std::vector<T> take() && {
        return std::get<std::vector<T>>(std::move(held_));
    }

    /// Compares type and numbers.
    friend bool operator==(values const&, values const&) = default;

private:
    // In the order of value_type.
    std::variant<std::monostate, std::vector<float>, std::vector<double>, std::vector<std::int32_t>,
                 std::vector<std::int64_t>>
        held_;
};

} // namespace rhizome::runtime
