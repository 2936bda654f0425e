// SPDX-License-Identifier: Apache-2.0
// Arrays that a caller passes: of NumPy, CuPy, PyTorch, JAX, or of any other library that exports them.
#pragma once

#include "array.hpp"
#include "place.hpp"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rhizome::python {

/// The streams that the place's work comes after already, in this call.
using streams_waited = std::vector<std::uintptr_t>;

/// An array of a caller, contiguous. On the host: memory that the object keeps. On a device: memory there,
/// which the place may read in its order.
class input_array {
public:
    /// Reads `object`, which the caller calls `what` in messages. A device array must lie on the place's
    /// device; the place's work then comes after the work that fills it. Copies what is not contiguous, and
    /// what is no array but can be made one (lists, pandas). Throws nanobind::type_error and value_error.
    input_array(nanobind::handle object, char const* what, std::shared_ptr<place> const& where,
                streams_waited& waited);
    input_array(input_array&& other) noexcept;
    input_array& operator=(input_array&&) = delete;
    ~input_array();

    [[nodiscard]] void const* data() const { return data_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] element type() const { return type_; }
    [[nodiscard]] bool on_device() const { return on_device_; }
    [[nodiscard]] char const* what() const { return what_; }

private:
    void read_interface(nanobind::handle object, std::shared_ptr<place> const& where, bool cuda,
                        streams_waited& waited);
    void read_dlpack(nanobind::handle object, std::shared_ptr<place> const& where);
    void take(void* data, std::uint64_t size, std::int64_t stride_bytes, std::shared_ptr<place> const& where);
    void read_by_numpy(nanobind::handle object, std::shared_ptr<place> const& where);
    void check_device(std::shared_ptr<place> const& where);

    char const* what_;
    nanobind::object kept_; ///< keeps the memory
    void const* data_ = nullptr;
    std::uint64_t size_ = 0;
    element type_ = element::int32;
    bool on_device_ = false;
    std::shared_ptr<shared_memory> copy_; ///< of elements that were apart
};

/// Whole numbers for ids of vertices, of 32 or 64 bits. Others are converted on the host, and refused on a
/// device.
[[nodiscard]] input_array read_ids(nanobind::handle object, char const* what,
                                   std::shared_ptr<place> const& where, streams_waited&& waited = {});
[[nodiscard]] input_array read_ids(nanobind::handle object, char const* what,
                                   std::shared_ptr<place> const& where, streams_waited& waited);
/// Numbers of this type. Others are converted on the host, and refused on a device.
[[nodiscard]] input_array read_values(nanobind::handle object, char const* what, element type,
                                      std::shared_ptr<place> const& where, streams_waited& waited);

/// The ids as a column.
[[nodiscard]] id_column column_of(input_array const& ids);

} // namespace rhizome::python
