//// case of_a_local_object
// options: --whole-program
struct buffer {
    int* p;
    __device__ explicit buffer(int n) : p((int*)malloc(n * sizeof(int))) {} // rewritten block
    buffer(buffer const&) = delete;
    __device__ ~buffer() { free(p); }
};
__global__ void k(int n) {
    buffer b(n);
    buffer c{2 * n};
    if (!b.p || !c.p) return;
    b.p[0] = c.p[0] = 1;
}
//: b(n, rhizome::coalesced::reached::by_all)
//: c{2 * n, rhizome::coalesced::reached::by_all}
//: explicit buffer(int n, rhizome::coalesced::reached rhizome_reached = rhizome::coalesced::reached::by_some)
//// case that_others_make_too
// options: --whole-program
struct buffer {
    int* p;
    __device__ buffer(int n) : p((int*)malloc(n * sizeof(int))) {} // rewritten block
    __device__ ~buffer() { free(p); }
};
static __device__ void take(buffer const& b) { b.p[0] = 1; }
__global__ void k(int n) {
    buffer b(n);
    buffer own(threadIdx.x);
    if (threadIdx.x < 3) buffer few(n);
    take(n);
    buffer same = n;
}
//: b(n, rhizome::coalesced::reached::by_all)
//: own(threadIdx.x)
//: few(n)
//: take(n)
//: same = n
//// case in_some_threads
// options: --whole-program
struct buffer {
    int* p;
    __device__ buffer(int n) : p((int*)malloc(n)) {} // left: a branch depends on
    __device__ ~buffer() { free(p); }
};
__global__ void k(int n) {
    if (threadIdx.x < 3) {
        buffer b(n);
        b.p[0] = 1;
    }
}
//// case of_the_threads_own_size
// options: --whole-program
struct buffer {
    int* p;
    __device__ buffer(int n) : p((int*)malloc(n)) {} // left: its arguments may differ
    __device__ ~buffer() { free(p); }
};
__global__ void k() { buffer b(threadIdx.x); }
//// case whose_members_are_sizes
// options: --whole-program
struct matrix {
    int rows, columns;
    float* at;
    float* sums;
    __device__ matrix(int rows_, int columns_) : rows(rows_), columns(columns_) {
        at = (float*)malloc(rows * columns * sizeof(float)); // rewritten block
        rows = threadIdx.x;
        sums = (float*)malloc(rows * sizeof(float)); // left: its arguments may differ
    }
    __device__ ~matrix() { free(at); free(sums); }
};
__global__ void k(int n) { matrix m(n, 4); }
//// case whose_members_have_been_changed
// options: --whole-program
struct base { int n; __device__ base(int n_) : n(n_) {} };
static __device__ void change(int* of) { *of = threadIdx.x; }
struct buffer : base {
    int m;
    int* p;
    __device__ buffer(int n_) : base(n_), m(n_) {
        change(&m);
        p = (int*)malloc(m); // left: a load from memory
        p = (int*)malloc(n); // left: a load from memory
    }
};
__global__ void k(int n) { buffer b(n); }
//// case in_objects
// options: --whole-program
struct buffer {
    int* p;
    __device__ buffer(int n, bool clears = false) : p((int*)malloc(n)) { if (clears) *p = 0; } // rewritten block
    __device__ ~buffer() { free(p); }
};
struct base {
    buffer first;
    __device__ base(int n) : first(n, true) {}
};
struct derived : base {
    buffer second;
    buffer third{7};
    __device__ derived(int n) : base(n), second{n * 2} {}
};
__global__ void k(int n) {
    for (int i = 0; i < n; ++i) derived d(n + i);
}
//: first(n, true, rhizome_reached)
//: base(n, rhizome_reached), second{n * 2, false, rhizome_reached}
//: d(n + i, rhizome::coalesced::reached::by_all)
//// case in_default_arguments
// options: --whole-program
static __device__ int* made(int n) { return (int*)malloc(n); } // rewritten block
struct holder {
    int* a = made(7);
    int* b;
    __device__ holder(int n, int* p = made(8)) : b(p) {}
};
__global__ void k(int n) {
    holder h(n, made(n));
    holder g(n);
    free(h.a);
}
//: int* a = made(7);
//: int* p = made(8)
//: h(n, made(n, rhizome::coalesced::reached::by_all))
//// case that_a_function_returns
// options: --whole-program
struct buffer {
    int* p;
    __device__ buffer(int n) { p = (int*)malloc(n); } // rewritten block
};
static __device__ buffer made(int n) { return buffer(n); }
__global__ void k(int n) {
    buffer b = made(n);
    free(b.p);
    free(buffer(n).p);
}
//: return buffer(n, rhizome_reached);
//: free(buffer(n, rhizome::coalesced::reached::by_all).p);
//// case overloaded
// options: --whole-program
struct buffer {
    int* p;
    __device__ buffer() : p(nullptr) {}
    __device__ buffer(int n) : p((int*)malloc(n)) {} // left: it is overloaded
    __device__ ~buffer() { free(p); }
};
__global__ void k(int n) { buffer b(n); }
//// case without_parentheses
// options: --whole-program
struct buffer {
    int* p;
    __device__ buffer() : p((int*)malloc(64)) {} // left: no kernel of this file reaches it
    __device__ ~buffer() { free(p); }
};
__global__ void k() { buffer b; }
//// case copied
// options: --whole-program
struct buffer {
    int* p;
    __device__ buffer(buffer const&) : p((int*)malloc(64)) {} // left: it is a constructor that copies or moves
};
__global__ void k(buffer* from) { buffer b(*from); }
//// case behind_a_lock
// options: --whole-program
struct guard {
    int* word;
    int* p;
    __device__ guard(int* w, int n) : word(w) {
        while (atomicCAS(word, 0, 1) != 0) {}
        p = (int*)malloc(n); // left: a kernel that reaches it has
    }
    __device__ ~guard() { free(p); atomicExch(word, 0); }
};
__global__ void k(int* word, int n) { guard g(word, n); }
//// case of_a_template
// options: --whole-program
template <class T> struct buffer {
    T* p;
    __device__ explicit buffer(int n) { p = (T*)malloc(n * sizeof(T)); } // rewritten block
    __device__ ~buffer() { free(p); }
    __device__ T* more(int n);
};
template <class T> __device__ T* buffer<T>::more(int n) {
    return (T*)malloc(n); // rewritten block
}
template <class T> static __device__ void use(int n) {
    buffer<T> b(n);
    free(b.more(n));
}
__global__ void k(int n) {
    use<int>(n);
    use<double>(n + 1);
    buffer<char> c(n);
}
//: buffer<T> b(n, rhizome_reached)
//: b.more(n, rhizome_reached)
//: c(n, rhizome::coalesced::reached::by_all)
//// case of_a_template_that_some_threads_use_with_another_type
// options: --whole-program
template <class T> struct buffer {
    T* p;
    __device__ buffer(int n) : p((T*)malloc(n)) {} // rewritten block
    __device__ ~buffer() { free(p); }
};
template <class T> static __device__ T* made(int n) { return (T*)malloc(n); } // rewritten block
template <class T> static __device__ T* other(int n) { return (T*)malloc(n); } // left: its arguments may differ
__global__ void k(int n) {
    buffer<int> b(n);
    if (threadIdx.x < 3) buffer<char> c(n);
    free(made<int>(n));
    free(made<char>(threadIdx.x));
    free(other<char>(threadIdx.x));
}
//: buffer<char> c(n);
//: made<char>(threadIdx.x)
//// case of_a_template_whose_address_is_taken
// options: --whole-program
template <class T> static __device__ void* made(int n) { return malloc(n); } // left:
typedef void* (*maker)(int);
__global__ void k(int n) {
    free(made<int>(n));
    maker const by = made<char>;
    free((*by)(n));
}
//// case of_a_template_with_a_member_of_its_own
// options: --whole-program
template <class T> struct buffer {
    T* p;
    __device__ void make(int n) { p = (T*)malloc(n); } // left: a template that has specialisations
};
template <> __device__ void buffer<char>::make(int n) { p = (char*)malloc(n); } // left: a template that has specialisations
__global__ void k(int n) {
    buffer<int> b;
    b.make(n);
    buffer<char> c;
    c.make(n);
    free(b.p);
    free(c.p);
}
//// case of_a_part_of_a_template
// options: --whole-program
template <class T> struct buffer;
template <class T> struct buffer<T*> {
    T** p;
    __device__ buffer(int n) : p((T**)malloc(n)) {} // left: a template that has specialisations
};
__global__ void k(int n) {
    buffer<int*> b(n);
    free(b.p);
}
//// case that_takes_a_list
// options: --whole-program
#include <initializer_list>
struct buffer {
    int* p;
    __device__ buffer(std::initializer_list<int> all) : p((int*)malloc(64)) {} // left: no kernel of this file reaches it
};
__global__ void k(int n) {
    buffer b{n, 2};
    free(b.p);
}
//// case that_changes_its_argument
// options: --whole-program
struct buffer {
    int* p;
    __device__ buffer(int& n) : p((int*)malloc(n)) { n = threadIdx.x; } // left: its arguments may differ
};
__global__ void k(int n) {
    buffer b(n);
    free(b.p);
    free(malloc(n)); // left: its arguments may differ
}
//// case in_memory
// options: --whole-program
struct buffer {
    int* p;
    __device__ buffer(int n) : p((int*)malloc(n)) {} // rewritten block
    __device__ ~buffer() { free(p); }
};
__global__ void k(void* place, int n) {
    buffer* const b = new (place) buffer(n);
    b->~buffer();
}
//: buffer(n, rhizome::coalesced::reached::by_all)
//// case that_new_may_not_make
// options: --whole-program
struct buffer {
    int* p;
    __device__ static void* operator new(size_t n) noexcept { return malloc(n); } // left:
    __device__ static void operator delete(void* q) { free(q); }
    __device__ buffer(int n) : p((int*)malloc(n)) {} // left: no kernel of this file reaches it
    __device__ ~buffer() { free(p); }
};
__global__ void k(int n) { delete new buffer(n); }
//// case whose_type_a_guide_chooses
// options: --whole-program
template <class T> struct buffer {
    T* p;
    __device__ buffer(T n) { p = (T*)malloc(n * sizeof(T)); } // left: its class template has deduction guides
    __device__ ~buffer() { free(p); }
};
__device__ buffer(int) -> buffer<double>;
__global__ void k(int n) { buffer b(n); b.p[0] = 1; }
//// case that_another_instance_does_not_make
// options: --whole-program
struct buffer {
    int* p;
    __device__ buffer(int n) : p((int*)malloc(n)) {} // left: no kernel of this file reaches it
    __device__ ~buffer() { free(p); }
};
template <class T> static __device__ void use(int n) { T b(n); }
template <class T> struct holder { T t; __device__ holder(int n) : t(n) {} };
__global__ void k(int n) {
    use<buffer>(n);
    use<int>(n);
    holder<buffer> h(n);
    holder<int> g(n);
    free(malloc(n)); // rewritten block
}
//// case in_an_array
// options: --whole-program
struct buffer {
    int* p;
    __device__ buffer() : p((int*)malloc(8)) {} // left: no kernel of this file reaches it
    __device__ ~buffer() { free(p); }
};
struct several { buffer each[3]; __device__ several() : each() {} };
__global__ void k(int n) {
    several a{};
    free(malloc(n)); // rewritten block
}
//// case of_a_base_whose_constructor_is_inherited
// options: --whole-program
struct buffer {
    int* p;
    __device__ buffer(int n) : p((int*)malloc(n)) {} // rewritten block
    __device__ ~buffer() { free(p); }
};
struct derived : buffer { using buffer::buffer; };
__global__ void k(int n) {
    buffer b(n);
    derived d(n);
}
//: derived d(n);
//// case of_an_explicit_instance
// options: --whole-program
template <class T> struct pool { __device__ T* make(int n); };
template <class T> __device__ T* pool<T>::make(int n) { return (T*)malloc(n); } // left: a template that has specialisations
template struct pool<int>;
__global__ void k(int n) {
    pool<int> p;
    free(p.make(n));
    free(malloc(n)); // rewritten block
}
//// case that_leads_to_nothing
// options: --whole-program
template <class T> static __device__ T* made(int n) { return (T*)malloc(n); } // left: no call of its function
template <class T> static __device__ T* outer(int n) { return made<T>(n); }
__global__ void k(int n) {
    free(outer<int>(n));
    if (threadIdx.x < 3) free(outer<char>(n));
    free(malloc(n)); // rewritten block
}
