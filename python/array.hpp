// SPDX-License-Identifier: Apache-2.0
// rhizome.Array: what a call has found, in the memory where the graph lies. Other libraries take it without a
// copy.
#pragma once

#include "dlpack.hpp"
#include "place.hpp"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace rhizome::python {

/// The types of the elements of arrays.
enum class element : std::uint8_t { int32, uint32, int64, uint64, float32, float64, boolean };

[[nodiscard]] std::uint64_t bytes_of(element type);
[[nodiscard]] char const* name_of(element type);    ///< "int32"
[[nodiscard]] char const* typestr_of(element type); ///< "<i4", as NumPy's array interface writes it
[[nodiscard]] DLDataType dlpack_type_of(element type);

/// Memory of a place that arrays share; or memory that belongs to something else, which it keeps alive.
class shared_memory {
public:
    /// Memory of its own.
    shared_memory(std::shared_ptr<place> where, std::uint64_t bytes)
        : where_(std::move(where)), owned_(where_->allocate(bytes)) {}
    /// Memory of `owner`.
    shared_memory(std::shared_ptr<place> where, std::shared_ptr<void> owner)
        : where_(std::move(where)), owner_(std::move(owner)) {}
    shared_memory(shared_memory const&) = delete;
    shared_memory& operator=(shared_memory const&) = delete;
    ~shared_memory();

    [[nodiscard]] place& where() const { return *where_; }
    [[nodiscard]] void* owned() const { return owned_; }
    /// This stream will read it.
    void note_stream(std::uintptr_t stream);
    /// A consumer that does not say on which stream will read it.
    void note_any_stream();

private:
    std::shared_ptr<place> where_;
    std::shared_ptr<void> owner_;
    void* owned_ = nullptr;
    std::mutex mutex_;
    std::vector<std::uintptr_t> streams_;
    bool any_stream_ = false;
};

struct array {
    std::shared_ptr<shared_memory> memory;
    void* data = nullptr;
    std::uint64_t size = 0;
    element type = element::int32;
};

/// An array with memory of its own.
[[nodiscard]] array make_array(std::shared_ptr<place> const& where, element type, std::uint64_t size);

/// Makes rhizome.Array known to Python.
void bind_array(nanobind::module_& module);

} // namespace rhizome::python
