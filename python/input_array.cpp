// SPDX-License-Identifier: Apache-2.0
#include "input_array.hpp"

#include "dlpack.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace rhizome::python {
namespace {

constexpr element elements[] = {element::int32,   element::uint32,  element::int64,  element::uint64,
                                element::float32, element::float64, element::boolean};

std::optional<element> element_of(std::string_view typestr) {
    for (element const each : elements)
        if (typestr == typestr_of(each)) return each;
    return std::nullopt;
}
std::optional<element> element_of(DLDataType type) {
    for (element const each : elements) {
        DLDataType const own = dlpack_type_of(each);
        if (type.code == own.code && type.bits == own.bits && type.lanes == 1) return each;
    }
    return std::nullopt;
}

[[noreturn]] void refuse_shape(char const* what, std::size_t dimensions) {
    std::string const found =
        dimensions == 0 ? "a single value" : "one of " + std::to_string(dimensions) + " dimensions";
    throw nb::value_error(
        (std::string(what) + ": an array of one dimension is wanted, not " + found).c_str());
}
[[noreturn]] void refuse_type(char const* what, std::string const& wanted, std::string const& found) {
    throw nb::type_error((std::string(what) + ": " + wanted + " wanted, not " + found).c_str());
}

[[noreturn]] void refuse_malformed(char const* what) {
    throw nb::type_error((std::string(what) + ": its array interface is malformed").c_str());
}

/// An item of a tuple of the interface.
nb::object item(nb::handle tuple, Py_ssize_t i, char const* what) {
    if (PyTuple_Check(tuple.ptr()) == 0 || PyTuple_Size(tuple.ptr()) <= i) refuse_malformed(what);
    return nb::borrow(PyTuple_GetItem(tuple.ptr(), i));
}

/// A number of the interface.
template <class T>
T number(nb::handle object, char const* what) {
    T value{};
    if (!nb::try_cast(object, value)) refuse_malformed(what);
    return value;
}

/// By what a type of objects hands out its memory.
enum class exporter : std::uint8_t { own, host_interface, cuda_interface, dlpack, none };

exporter exporter_of(nb::handle object) {
    if (nb::isinstance<array>(object)) return exporter::own;
    nb::handle const type = object.type();
    auto const has = [&](char const* name) { return PyObject_HasAttrString(type.ptr(), name) != 0; };
    bool const has_dlpack = has("__dlpack__") && has("__dlpack_device__");
    // PyTorch's CUDA interface names no stream, and JAX's arrays on the CPU have one in their type alone.
    if (has_dlpack && (has("is_cuda") || has("devices"))) return exporter::dlpack;
    if (has("__array_interface__")) return exporter::host_interface;
    if (has("__cuda_array_interface__")) return exporter::cuda_interface;
    return has_dlpack ? exporter::dlpack : exporter::none;
}

void wait_once(place& where, std::uintptr_t stream, streams_waited& waited) {
    if (std::find(waited.begin(), waited.end(), stream) != waited.end()) return;
    where.wait_for_stream(stream);
    waited.push_back(stream);
}

bool is_id(element type) {
    return type == element::int32 || type == element::uint32 || type == element::int64 ||
           type == element::uint64;
}

/// numpy.require(object, dtype, "CA"): contiguous, aligned, in the byte order of the machine.
nb::object as_numpy(nb::handle object, nb::object const& dtype) {
    return nb::module_::import_("numpy").attr("require")(object, dtype, "CA");
}

} // namespace

input_array::input_array(nb::handle object, char const* what, std::shared_ptr<place> const& where,
                         streams_waited& waited)
    : what_(what) {
    switch (exporter_of(object)) {
    case exporter::own: {
        array const& own = nb::cast<array&>(object);
        kept_ = nb::borrow(object);
        type_ = own.type;
        place& other = own.memory->where();
        on_device_ = other.is_device();
        if (on_device_ && where->is_device() && other.device() == where->device())
            wait_once(*where, other.stream(), waited);
        take(own.data, own.size, static_cast<std::int64_t>(bytes_of(own.type)), where);
        break;
    }
    case exporter::host_interface:
        read_interface(object, where, false, waited);
        break;
    case exporter::cuda_interface:
        read_interface(object, where, true, waited);
        break;
    case exporter::dlpack:
        read_dlpack(object, where);
        break;
    case exporter::none:
        read_by_numpy(object, where);
        break;
    }
}

input_array::input_array(input_array&& other) noexcept = default;
input_array::~input_array() = default;

void input_array::read_interface(nb::handle object, std::shared_ptr<place> const& where, bool cuda,
                                 streams_waited& waited) {
    nb::object const found = object.attr(cuda ? "__cuda_array_interface__" : "__array_interface__");
    nb::dict interface;
    if (!nb::try_cast(found, interface) || !interface.contains("shape") || !interface.contains("typestr"))
        refuse_malformed(what_);
    if (!interface.contains("data") || nb::object(interface["data"]).is_none()) { // a buffer instead
        if (cuda) refuse_malformed(what_);
        return read_by_numpy(object, where);
    }
    auto const typestr = number<std::string>(interface["typestr"], what_);
    nb::object const shape = interface["shape"];
    if (PyTuple_Check(shape.ptr()) == 0) refuse_malformed(what_);
    if (PyTuple_Size(shape.ptr()) != 1)
        refuse_shape(what_, static_cast<std::size_t>(PyTuple_Size(shape.ptr())));
    auto const size = number<std::uint64_t>(item(shape, 0, what_), what_);
    std::optional<element> const type = element_of(typestr);
    auto const address = number<std::uintptr_t>(item(interface["data"], 0, what_), what_);
    if (!type || (!cuda && address % bytes_of(*type) != 0)) { // another byte order or width, or not aligned
        if (cuda)
            refuse_type(what_, "numbers of 32 or 64 bits are",
                        "elements of type '" + typestr + "' on a device");
        return read_by_numpy(object, where);
    }
    type_ = *type;
    on_device_ = cuda;
    kept_ = nb::borrow(object);
    auto stride = static_cast<std::int64_t>(bytes_of(type_));
    if (interface.contains("strides") && !nb::object(interface["strides"]).is_none())
        stride = number<std::int64_t>(item(interface["strides"], 0, what_), what_);
    if (cuda && where->is_device() && interface.contains("stream") &&
        !nb::object(interface["stream"]).is_none())
        wait_once(*where, number<std::uintptr_t>(interface["stream"], what_), waited);
    take(reinterpret_cast<void*>(address), size, stride, where);
}

void input_array::read_dlpack(nb::handle object, std::shared_ptr<place> const& where) {
    nb::object const device = object.attr("__dlpack_device__")();
    int const device_type = number<int>(item(device, 0, what_), what_);
    bool const on_host = device_type == kDLCPU || device_type == kDLCUDAHost;
    if (!on_host && device_type != kDLCUDA && device_type != kDLCUDAManaged)
        throw nb::value_error(
            (std::string(what_) + ": the array lies on a device that is neither CPU nor CUDA").c_str());
    on_device_ = !on_host;
    nb::dict options;
    if (on_device_) {
        if (!where->is_device() || number<int>(item(device, 1, what_), what_) != where->device())
            check_device(where); // throws
        options["stream"] = where->stream();
    }
    nb::object capsule;
    try {
        nb::dict newer = options;
        newer["max_version"] = nb::make_tuple(1, 0);
        capsule = object.attr("__dlpack__")(**newer);
    } catch (nb::python_error& error) { // a library from before max_version
        if (!error.matches(PyExc_TypeError)) throw;
        capsule = object.attr("__dlpack__")(**options);
    }
    bool const versioned = PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0;
    char const* const name = versioned ? "dltensor_versioned" : "dltensor";
    void* const managed = PyCapsule_GetPointer(capsule.ptr(), name);
    if (managed == nullptr) throw nb::python_error();
    DLTensor const& tensor = versioned ? static_cast<DLManagedTensorVersioned*>(managed)->dl_tensor
                                       : static_cast<DLManagedTensor*>(managed)->dl_tensor;
    if (versioned && static_cast<DLManagedTensorVersioned*>(managed)->version.major != 1)
        throw nb::buffer_error("the array is exported by a version of DLPack that rhizome does not know");
    // This code does not take the array out of the capsule. The exporter frees it when the capsule is freed.
    kept_ = nb::make_tuple(object, capsule);
    if (tensor.ndim != 1) refuse_shape(what_, static_cast<std::size_t>(tensor.ndim));
    if (tensor.shape[0] < 0) refuse_malformed(what_);
    std::optional<element> const type = element_of(tensor.dtype);
    if (!type) {
        if (on_device_) refuse_type(what_, "numbers of 32 or 64 bits are", "others on a device");
        return read_by_numpy(nb::module_::import_("numpy").attr("from_dlpack")(object), where);
    }
    type_ = *type;
    auto const bytes = static_cast<std::int64_t>(bytes_of(type_));
    take(static_cast<std::byte*>(tensor.data) + tensor.byte_offset,
         static_cast<std::uint64_t>(tensor.shape[0]),
         tensor.strides == nullptr ? bytes : tensor.strides[0] * bytes, where);
}

void input_array::read_by_numpy(nb::handle object, std::shared_ptr<place> const& where) {
    nb::object made = as_numpy(object, nb::none());
    auto const dtype = nb::cast<std::string>(made.attr("dtype").attr("kind"));
    if (dtype == "O" && nb::cast<std::uint64_t>(made.attr("size")) != 0) // NumPy finds no other type for it
        refuse_type(what_, "an array of numbers of at most 64 bits is",
                    "this " + nb::cast<std::string>(object.type().attr("__name__")) +
                        ", of which NumPy makes an array of objects");
    if (dtype == "i" || dtype == "u")
        made = as_numpy(made, nb::str(dtype == "i" ? "int64" : "uint64"));
    else if (dtype == "f")
        made = as_numpy(made, nb::str("float64"));
    else if (nb::cast<std::uint64_t>(made.attr("size")) == 0)
        made = as_numpy(made, nb::str("int64")); // an empty list
    else
        refuse_type(what_, "an array of numbers is",
                    "elements of type " + (dtype == "U" ? "str"
                                           : dtype == "S"
                                               ? "bytes"
                                               : nb::cast<std::string>(made.attr("dtype").attr("name"))));
    auto const interface = nb::cast<nb::dict>(made.attr("__array_interface__"));
    auto const shape = nb::cast<nb::tuple>(interface["shape"]);
    if (shape.size() != 1) refuse_shape(what_, shape.size());
    type_ = *element_of(nb::cast<std::string>(interface["typestr"]));
    kept_ = made;
    on_device_ = false;
    take(reinterpret_cast<void*>(nb::cast<std::uintptr_t>(nb::cast<nb::tuple>(interface["data"])[0])),
         nb::cast<std::uint64_t>(shape[0]), static_cast<std::int64_t>(bytes_of(type_)), where);
}

void input_array::check_device(std::shared_ptr<place> const& where) {
    if (!where->is_device())
        throw nb::value_error((std::string(what_) +
                               ": the array lies on a GPU, the graph on the CPU: copy it to the host first")
                                  .c_str());
    throw nb::value_error(
        (std::string(what_) + ": the array lies on another GPU than the graph (" + where->name() + ")")
            .c_str());
}

void input_array::take(void* data, std::uint64_t size, std::int64_t stride_bytes,
                       std::shared_ptr<place> const& where) {
    std::uint64_t const bytes = bytes_of(type_);
    if (size > static_cast<std::uint64_t>(PTRDIFF_MAX) / bytes || (size != 0 && data == nullptr))
        refuse_malformed(what_);
    size_ = size;
    data_ = data;
    if (on_device_ && size_ != 0 && (!where->is_device() || where->device_of(data) != where->device()))
        check_device(where);
    if (size_ < 2 || stride_bytes == static_cast<std::int64_t>(bytes)) return;
    if (on_device_ && stride_bytes <= 0)
        throw nb::value_error((std::string(what_) + ": the array goes backwards: copy it first").c_str());
    // Elements that lie apart: they are copied side by side.
    std::shared_ptr<place> const at = on_device_ ? where : host_place(1, 0);
    array const together = make_array(at, type_, size_);
    at->gather(together.data, data, size_, bytes, stride_bytes);
    copy_ = together.memory;
    data_ = together.data;
}

input_array read_ids(nb::handle object, char const* what, std::shared_ptr<place> const& where,
                     streams_waited& waited) {
    input_array found(object, what, where, waited);
    if (!is_id(found.type()) && (found.size() != 0 || found.on_device()))
        refuse_type(what, "ids of vertices, which are whole numbers, are",
                    std::string("elements of type ") + name_of(found.type()));
    return found;
}
input_array read_ids(nb::handle object, char const* what, std::shared_ptr<place> const& where,
                     streams_waited&& waited) {
    return read_ids(object, what, where, waited);
}

input_array read_values(nb::handle object, char const* what, element type,
                        std::shared_ptr<place> const& where, streams_waited& waited) {
    input_array found(object, what, where, waited);
    if (found.type() == type) return found;
    if (found.on_device())
        refuse_type(what, std::string("elements of type ") + name_of(type) + ", as the graph has them, are",
                    std::string(name_of(found.type())) + " on a device");
    nb::object const made = nb::module_::import_("rhizome._arrays").attr("cast")(object, what, name_of(type));
    return input_array(made, what, where, waited);
}

id_column column_of(input_array const& ids) {
    return {ids.data(), ids.size(), ids.type() == element::int64 || ids.type() == element::uint64};
}

} // namespace rhizome::python
