// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

#include <rhizome/exec/errors.hpp>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace nb = nanobind;
using namespace nanobind::literals;

namespace rhizome::python {
namespace {

struct element_info {
    char const* name;
    char const* typestr;
    DLDataType dlpack;
};

constexpr element_info infos[] = {
    {"int32", "<i4", {kDLInt, 32, 1}},     {"uint32", "<u4", {kDLUInt, 32, 1}},
    {"int64", "<i8", {kDLInt, 64, 1}},     {"uint64", "<u8", {kDLUInt, 64, 1}},
    {"float32", "<f4", {kDLFloat, 32, 1}}, {"float64", "<f8", {kDLFloat, 64, 1}},
    {"bool", "|b1", {kDLBool, 8, 1}}};

element_info const& info_of(element type) { return infos[static_cast<std::size_t>(type)]; }

DLDevice device_of(array const& self) {
    place const& where = self.memory->where();
    return {where.is_device() ? kDLCUDA : kDLCPU, where.device()};
}

/// What a consumer of DLPack holds until it calls the deleter.
template <class Managed>
struct exported {
    Managed managed{};
    std::int64_t shape = 0;
    std::int64_t stride = 1;
    std::shared_ptr<shared_memory> memory;

    static void destroy(Managed* managed) { delete static_cast<exported*>(managed->manager_ctx); }
};

/// Frees the exported array if no consumer has taken it: a consumer renames the capsule.
template <class Managed>
void destroy_capsule(PyObject* capsule, char const* name) {
    if (PyCapsule_IsValid(capsule, name) == 0) return; // taken
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
    managed->deleter(managed);
}

template <class Managed>
nb::object capsule_of(array const& self, char const* name, PyCapsule_Destructor destructor) {
    auto* const kept = new exported<Managed>;
    kept->shape = static_cast<std::int64_t>(self.size);
    kept->memory = self.memory;
    kept->managed.manager_ctx = kept;
    kept->managed.deleter = exported<Managed>::destroy;
    kept->managed.dl_tensor = {.data = self.data,
                               .device = device_of(self),
                               .ndim = 1,
                               .dtype = info_of(self.type).dlpack,
                               .shape = &kept->shape,
                               .strides = &kept->stride,
                               .byte_offset = 0};
    PyObject* const capsule = PyCapsule_New(&kept->managed, name, destructor);
    if (capsule == nullptr) {
        delete kept;
        throw nb::python_error();
    }
    return nb::steal(capsule);
}

nb::object dlpack(array const& self, nb::object const& stream, nb::object const& max_version,
                  nb::object const& dl_device, nb::object const& copy) {
    DLDevice const own = device_of(self);
    if (!dl_device.is_none()) {
        std::pair<int, int> wanted;
        if (!nb::try_cast(dl_device, wanted)) throw nb::type_error("dl_device: a pair of numbers is wanted");
        if (wanted.first != own.device_type || wanted.second != own.device_id)
            throw nb::buffer_error(
                "rhizome.Array exports its memory where it lies; numpy() copies it to the host");
    }
    if (!copy.is_none() && nb::cast<bool>(copy))
        throw nb::buffer_error("rhizome.Array exports without a copy");
    if (own.device_type == kDLCUDA) {
        // -1: the consumer does not want us to order anything; None: the legacy default stream.
        std::int64_t const number = stream.is_none() ? 1 : nb::cast<std::int64_t>(stream);
        if (number >= 0) {
            self.memory->where().let_stream_wait(static_cast<std::uintptr_t>(number));
            self.memory->note_stream(static_cast<std::uintptr_t>(number));
        } else {
            self.memory->note_any_stream();
        }
    } else if (!stream.is_none()) {
        throw nb::buffer_error("an array on the CPU has no stream");
    }
    std::pair<int, int> version{0, 0};
    if (!max_version.is_none() && !nb::try_cast(max_version, version))
        throw nb::type_error("max_version: a pair of numbers is wanted");
    bool const versioned = version.first >= 1;
    if (!versioned)
        return capsule_of<DLManagedTensor>(self, "dltensor", [](PyObject* untaken) {
            destroy_capsule<DLManagedTensor>(untaken, "dltensor");
        });
    nb::object capsule =
        capsule_of<DLManagedTensorVersioned>(self, "dltensor_versioned", [](PyObject* untaken) {
            destroy_capsule<DLManagedTensorVersioned>(untaken, "dltensor_versioned");
        });
    static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"))
        ->version = {1, 0};
    return capsule;
}

/// The part that NumPy's and CUDA's array interface share.
nb::dict interface_of(array const& self) {
    nb::dict interface;
    interface["shape"] = nb::make_tuple(self.size);
    interface["typestr"] = info_of(self.type).typestr;
    interface["data"] = nb::make_tuple(
        self.size == 0 ? std::uintptr_t{0} : reinterpret_cast<std::uintptr_t>(self.data), false);
    interface["strides"] = nb::none();
    interface["version"] = 3;
    return interface;
}

std::string text_of(array const& self) {
    return "rhizome.Array(size=" + std::to_string(self.size) + ", dtype=" + info_of(self.type).name +
           ", device=" + self.memory->where().name() + ")";
}

} // namespace

std::uint64_t bytes_of(element type) { return info_of(type).dlpack.bits / 8; }
char const* name_of(element type) { return info_of(type).name; }
char const* typestr_of(element type) { return info_of(type).typestr; }
DLDataType dlpack_type_of(element type) { return info_of(type).dlpack; }

shared_memory::~shared_memory() {
    if (owned_ != nullptr) {
        where_->free(owned_, streams_, any_stream_);
    } else if (any_stream_ || !streams_.empty()) {
        try {
            for (std::uintptr_t const stream : streams_)
                where_->wait_for_stream(stream);
            if (any_stream_) where_->synchronize_device();
        } catch (std::exception const&) { // the stream is gone, and its work is done
        }
    }
}

void shared_memory::note_stream(std::uintptr_t stream) {
    // Only default streams are sure to live as long as the memory. Another one may be destroyed before it,
    // and CUDA does not survive a call with such a stream.
    constexpr std::uintptr_t per_thread_default = 2;
    std::lock_guard const lock(mutex_);
    if (stream > per_thread_default)
        any_stream_ = true;
    else if (std::find(streams_.begin(), streams_.end(), stream) == streams_.end())
        streams_.push_back(stream);
}
void shared_memory::note_any_stream() {
    std::lock_guard const lock(mutex_);
    any_stream_ = true;
}

array make_array(std::shared_ptr<place> const& where, element type, std::uint64_t size) {
    if (size > static_cast<std::uint64_t>(PTRDIFF_MAX) / bytes_of(type))
        throw exec::out_of_memory("a result", ~std::uint64_t{0}, 0);
    auto memory = std::make_shared<shared_memory>(where, size * bytes_of(type));
    void* const data = memory->owned();
    return {std::move(memory), data, size, type};
}

void bind_array(nb::module_& module) {
    nb::class_<array>(
        module, "Array",
        "One-dimensional result of a call, in the memory where its graph lies.\n\n"
        "Other libraries take it without a copy: ``numpy.asarray(a)`` for a graph on the CPU,\n"
        "``cupy.from_dlpack(a)``, ``torch.from_dlpack(a)`` and others for one on a GPU. ``a.numpy()``\n"
        "gives a NumPy array in both cases, copied from a GPU. It keeps its memory as long as it,\n"
        "or what was made of it, lives; it does not change when the graph does.")
        .def_prop_ro(
            "size", [](array const& self) { return self.size; }, "Number of elements.")
        .def_prop_ro(
            "shape", [](array const& self) { return nb::make_tuple(self.size); },
            nb::sig("def shape(self) -> tuple[int]"), "``(size,)``.")
        .def_prop_ro(
            "ndim", [](array const&) { return 1; }, "1.")
        .def_prop_ro(
            "dtype", [](array const& self) { return info_of(self.type).name; },
            "Name of the type of the elements, as NumPy calls it: ``'int32'``.")
        .def_prop_ro(
            "nbytes", [](array const& self) { return self.size * bytes_of(self.type); },
            "Bytes of the elements.")
        .def_prop_ro(
            "device", [](array const& self) { return self.memory->where().name(); },
            "Where it lies: ``'cpu'`` or ``'cuda:N'``.")
        .def("__len__", [](array const& self) { return self.size; })
        .def("__repr__", text_of)
        .def(
            "__dlpack_device__",
            [](array const& self) {
                DLDevice const own = device_of(self);
                return nb::make_tuple(static_cast<int>(own.device_type), own.device_id);
            },
            nb::sig("def __dlpack_device__(self) -> tuple[int, int]"))
        .def("__dlpack__", dlpack, nb::kw_only(), "stream"_a = nb::none(), "max_version"_a = nb::none(),
             "dl_device"_a = nb::none(), "copy"_a = nb::none(),
             "Exports the memory through DLPack. The consumer's stream comes after the work that fills it.")
        .def_prop_ro(
            "__array_interface__",
            [](array const& self) {
                if (self.memory->where().is_device())
                    throw nb::attribute_error("the array lies on a GPU: numpy() copies it to the host");
                return interface_of(self);
            },
            nb::sig("def __array_interface__(self) -> dict[str, typing.Any]"))
        .def_prop_ro(
            "__cuda_array_interface__",
            [](array const& self) {
                if (!self.memory->where().is_device()) throw nb::attribute_error("the array lies on the CPU");
                nb::dict interface = interface_of(self);
                std::uintptr_t const stream = self.memory->where().stream();
                interface["stream"] = stream;
                self.memory->note_any_stream();
                return interface;
            },
            nb::sig("def __cuda_array_interface__(self) -> dict[str, typing.Any]"))
        .def(
            "numpy",
            [](nb::object self) { return nb::module_::import_("rhizome._arrays").attr("to_numpy")(self); },
            nb::sig("def numpy(self) -> numpy.typing.NDArray[typing.Any]"),
            "A NumPy array: the same memory on the CPU, a copy of a GPU's.")
        .def(
            "__array__",
            [](nb::object self, nb::object const& dtype, nb::object const& copy) {
                nb::object const made = self.attr("numpy")();
                nb::object const numpy = nb::module_::import_("numpy");
                if (copy.is_none()) return nb::object(numpy.attr("asarray")(made, "dtype"_a = dtype));
                return nb::object(numpy.attr("array")(made, "dtype"_a = dtype, "copy"_a = copy));
            },
            nb::sig("def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> typing.Any"),
            "dtype"_a = nb::none(), "copy"_a = nb::none())
        .def("_copy_to", [](array const& self, std::uintptr_t to) { // host memory of nbytes bytes
            nb::gil_scoped_release const released;
            self.memory->where().copy_out(reinterpret_cast<void*>(to), self.data,
                                          self.size * bytes_of(self.type));
        });
}

} // namespace rhizome::python
