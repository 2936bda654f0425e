// options: --whole-program
// What a thread has stored and loads again, without anything between that another thread could use.
struct list { int* a; int* b; unsigned n; int bits : 7; union { int* left; int* right; }; volatile int* seen; int* many[4]; };
__device__ void use(void* p) {}
__device__ int* shared_row[1024];

__global__ void rows(int** m, int n) {
    for (int i = 0; i < n; ++i) {
        m[i + threadIdx.x * n] = (int*)malloc(n); // rewritten block
        if (!m[i + threadIdx.x * n]) return;
    }
    use(malloc(n)); // rewritten block
}
__global__ void own_rows(int n) {
    int** m = (int**)malloc(n * sizeof(int*)); // rewritten block
    if (m == nullptr) return;
    for (int i = 0; i < n; ++i) {
        m[i] = (int*)malloc((i + 1) * sizeof(int)); // rewritten block
        if (m[i] == NULL) break;
    }
    use(malloc(n)); // rewritten block
}
__global__ void members(list* p, int n) {
    p->a = (int*)malloc(n); // rewritten block
    p->b = (int*)malloc(n); // rewritten block
    if (!p->a || !p->b) return;
    use(malloc(n)); // rewritten block
}
__global__ void size_in_a_member(list* p, int n) {
    p->n = n * 2;
    p->a = (int*)malloc(p->n * sizeof(int)); // rewritten block
}
__global__ void out(int** place, int n) {
    *place = (int*)malloc(n); // rewritten block
    if (!*place) return;
    use(malloc(n)); // rewritten block
}
__global__ void global_array(int n) {
    shared_row[threadIdx.x] = (int*)malloc(n); // rewritten block
    if (shared_row[threadIdx.x] == nullptr) return;
    use(malloc(n)); // rewritten block
}
__global__ void array_in_an_object(list* p, int n) {
    p->many[2] = (int*)malloc(n); // rewritten block
    if (!p->many[2]) return;
    use(malloc(n)); // rewritten block
}
__device__ void fill(list& of, int n) {
    of.n = n;
    of.a = (int*)malloc(of.n); // left: a load from memory
}
__global__ void fills(list* p, int n) { fill(*p, n); }

__global__ void another_size(list* p, int n) {
    p->n = threadIdx.x;
    p->a = (int*)malloc(p->n); // left: the index of the thread
}
__global__ void another_place(int** m, int** w, int i, int j, int n) {
    m[i] = (int*)malloc(n); // rewritten block
    w[j] = nullptr;
    if (!m[i]) return;
    use(malloc(n)); // left: a load from memory
}
__global__ void another_index(int** m, int i, int n) {
    m[i] = (int*)malloc(n); // rewritten block
    ++i;
    if (!m[i]) return;
    use(malloc(n)); // left: a load from memory
}
__global__ void another_base(int** m, int** w, int n) {
    m[0] = (int*)malloc(n); // rewritten block
    m = w;
    if (!m[0]) return;
    use(malloc(n)); // left: a load from memory
}
__global__ void in_some_threads(int** m, int n) {
    if (threadIdx.x < 7) m[0] = (int*)malloc(n); // left: not all threads
    if (!m[0]) return;
    use(malloc(n)); // left: a load from memory
}
__global__ void in_a_branch(int** m, int n) {
    if (n > 7) m[0] = (int*)malloc(n); // rewritten block
    if (!m[0]) return;
    use(malloc(n)); // left: a load from memory
}
__global__ void in_the_other_branch(int** m, int n) {
    m[0] = (int*)malloc(n); // rewritten block
    if (n > 7)
        m[0] = m[1];
    else if (!m[0])
        return;
    if (!m[0]) return;
    use(malloc(n)); // left: a load from memory
}
__global__ void in_half_a_condition(int** m, int n) {
    m[0] = (int*)malloc(n); // rewritten block
    if (n > 7 && (m[0] = m[1]) == m[2]) use(m);
    if (!m[0]) return;
    use(malloc(n)); // left: a load from memory
}
__global__ void in_half_an_expression(int** m, int n) {
    m[0] = (int*)malloc(n); // rewritten block
    n > 7 ? m[0] = m[1] : nullptr;
    if (!m[0]) return;
    use(malloc(n)); // left: a load from memory
}
__global__ void behind_a_barrier(int** m, int n) {
    m[threadIdx.x] = (int*)malloc(n); // rewritten block
    __syncthreads();
    if (!m[threadIdx.x]) return;
    use(malloc(n)); // left: a load from memory
}
__global__ void behind_an_atomic(int** m, int* word, int n) {
    m[threadIdx.x] = (int*)malloc(n); // rewritten block
    atomicAdd(word, 1);
    if (!m[threadIdx.x]) return;
    use(malloc(n)); // left: a load from memory
}
__device__ void clear(int** m) { *m = *(m + 1); }
__global__ void behind_a_call(int** m, int n) {
    m[0] = (int*)malloc(n); // rewritten block
    clear(m);
    if (!m[0]) return;
    use(malloc(n)); // left: a load from memory
}
struct cleared { int** m; __device__ cleared(int** m_) : m(m_) { *m = m[1]; } __device__ ~cleared() { *m = m[2]; } };
__global__ void behind_a_constructor(int** m, int n) {
    m[0] = (int*)malloc(n); // rewritten block
    cleared one(m);
    if (!m[0]) return;
    use(malloc(n)); // left: a load from memory
}
__global__ void a_union(list* p, int n) {
    p->left = (int*)malloc(n); // rewritten block
    p->right = p->a;
    if (!p->left) return;
    use(malloc(n)); // left: a load from memory
}
__global__ void bits(list* p, int n) {
    p->bits = n;
    use(malloc(p->bits)); // left: a load from memory
}
__global__ void index_with_an_address(int** m, int n) {
    int i = 0;
    int* at = &i;
    m[i] = (int*)malloc(n); // rewritten block
    *at = threadIdx.x;
    if (!m[i]) return;
    use(malloc(n)); // left: a load from memory
}
__global__ void address_taken_behind(int** m, int n) {
    int i = 0, *at = nullptr;
    for (int round = 0; round < 2; ++round) {
        m[i] = (int*)malloc(n); // left: not all threads
        if (at) *at = threadIdx.x;
        if (!m[i]) return;
        use(malloc(n)); // left: not all threads
        at = &i;
    }
}
__global__ void next_round(int** m, int n) {
    for (int round = 0; round < n; ++round) {
        if (round > 0 && !m[0]) return;
        m[0] = (int*)malloc(n); // left: a load from memory
    }
}
__global__ void other_case(int** m, int n) {
    m[0] = (int*)malloc(n); // rewritten block
    switch (n) {
    case 1: m[0] = m[1];
    case 2:
        if (!m[0]) return;
    }
    use(malloc(n)); // left: a load from memory
}
__global__ void object_around(list* p, list* q, int n) {
    p->a = (int*)malloc(n); // rewritten block
    *p = *q;
    if (!p->a) return;
    use(malloc(n)); // left: a load from memory
}
__global__ void another_object(list* p, list* q, int n) {
    p->n = n;
    q->n = threadIdx.x;
    use(malloc(p->n)); // left: a load from memory
}
__global__ void evaluated_in_any_order(list* p, int n) {
    use(malloc((p->n = n) + p->n)); // left: a load from memory
}
__global__ void index_in_the_place_itself(unsigned long n) {
    unsigned long i = 0, *m = &i;
    m[i] = n;
    use(malloc(m[i])); // left: a load from memory
}
__global__ void stored_in_another_case(int** m, int n) {
    switch (n) {
    case 1: m[0] = (int*)malloc(n); // rewritten block
    case 2:
        if (!m[0]) return;
    }
    use(malloc(n)); // left: a load from memory
}
__global__ void stored_in_a_switch(int** m, int n) {
    switch (n) {
    case 1: m[0] = (int*)malloc(n); // rewritten block
    }
    if (!m[0]) return;
    use(malloc(n)); // left: a load from memory
}
__global__ void stored_in_the_other_branch(int** m, int n) {
    if (n > 7) {
        m[0] = (int*)malloc(n); // rewritten block
    } else {
        if (!m[0]) return;
        use(malloc(n)); // left: a load from memory
    }
}
__global__ void member_of_another_object(list* p, list* q, int n) {
    p->a = (int*)malloc(n); // rewritten block
    q->b = nullptr;
    if (!p->a) return;
    use(malloc(n)); // left: a load from memory
}
