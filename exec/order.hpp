// SPDX-License-Identifier: Apache-2.0
// Memory orders as types, chosen at compile time. An order that an operation does not allow does not compile.
#pragma once

namespace rhizome::exec::order {

struct relaxed_t {};
struct acquire_t {};
struct release_t {};
struct acq_rel_t {};

inline constexpr relaxed_t relaxed{};
inline constexpr acquire_t acquire{};
inline constexpr release_t release{};
inline constexpr acq_rel_t acq_rel{};

template <class O>
inline constexpr bool acquires = false;
template <>
inline constexpr bool acquires<acquire_t> = true;
template <>
inline constexpr bool acquires<acq_rel_t> = true;

template <class O>
inline constexpr bool releases = false;
template <>
inline constexpr bool releases<release_t> = true;
template <>
inline constexpr bool releases<acq_rel_t> = true;

template <class O>
inline constexpr bool is_order = false;
template <>
inline constexpr bool is_order<relaxed_t> = true;
template <>
inline constexpr bool is_order<acquire_t> = true;
template <>
inline constexpr bool is_order<release_t> = true;
template <>
inline constexpr bool is_order<acq_rel_t> = true;

/// Orders of a load: relaxed or acquire.
template <class O>
concept for_load = is_order<O> && !releases<O>;

/// Orders of a store: relaxed or release.
template <class O>
concept for_store = is_order<O> && !acquires<O>;

/// Orders of a read-modify-write: all.
template <class O>
concept for_update = is_order<O>;

} // namespace rhizome::exec::order
