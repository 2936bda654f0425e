// SPDX-License-Identifier: Apache-2.0
// An inverted index in the style of programs that use CUDA's malloc in kernels: which documents contain which
// words. A hash map with chains; a node for each word, of the length of the word, and a node for each
// occurrence. It calls malloc and free, and knows nothing of Rhizome. before.cu and after.cu include it.

struct occurrence {
    occurrence* next;
    unsigned document;
};
struct word_node {
    word_node* next;
    occurrence* documents;
    unsigned length;
    char text[1]; // more of them
};

/// The i-th word of a document: one of `words`, 4 to 67 letters that follow from its number.
__device__ inline unsigned word_of(unsigned document, unsigned i, unsigned words) {
    unsigned h = (document * 2654435761u) ^ (i * 2246822519u + 374761393u);
    h = (h ^ h >> 15) * 2654435761u;
    h ^= h >> 13;
    return static_cast<unsigned>(static_cast<unsigned long long>(h % words) * (h >> 7 & 1023) /
                                 1023); // skewed
}
__device__ inline unsigned length_of(unsigned word) { return 4 + (word * 2246822519u >> 26); }
__device__ inline char letter_of(unsigned word, unsigned k) {
    return static_cast<char>('a' + (word >> 3 * (k % 8) & 7) + k % 11);
}

__device__ inline bool is_word(word_node const* node, unsigned word) {
    if (node->length != length_of(word)) return false;
    for (unsigned k = 0; k < node->length; ++k)
        if (node->text[k] != letter_of(word, k)) return false;
    return true;
}

/// The node of a word, made if there is none; nullptr: out of memory.
__device__ inline word_node* find_or_insert(word_node** bucket, unsigned word) {
    word_node* made = nullptr;
    word_node* seen = nullptr; // all nodes from here on are other words
    for (;;) {
        word_node* const head = *const_cast<word_node* volatile*>(bucket);
        for (word_node* each = head; each != seen; each = each->next)
            if (is_word(each, word)) {
                free(made); // another thread was faster
                return each;
            }
        seen = head;
        if (made == nullptr) {
            made = static_cast<word_node*>(malloc(sizeof(word_node) + length_of(word)));
            if (made == nullptr) return nullptr;
            made->documents = nullptr;
            made->length = length_of(word);
            for (unsigned k = 0; k < made->length; ++k)
                made->text[k] = letter_of(word, k);
        }
        made->next = head;
        __threadfence(); // the node, before others see it
        auto* const place = reinterpret_cast<unsigned long long*>(bucket);
        auto const expected = reinterpret_cast<unsigned long long>(head);
        if (atomicCAS(place, expected, reinterpret_cast<unsigned long long>(made)) == expected) return made;
    }
}

/// A thread for each document adds its words.
__global__ void add_documents(word_node** buckets, unsigned bucket_count, unsigned documents,
                              unsigned per_document, unsigned words, unsigned* refused) {
    unsigned const document = blockIdx.x * blockDim.x + threadIdx.x;
    if (document >= documents) return;
    for (unsigned i = 0; i < per_document; ++i) {
        unsigned const word = word_of(document, i, words);
        word_node* const node = find_or_insert(buckets + word % bucket_count, word);
        auto* const added = node == nullptr ? nullptr : static_cast<occurrence*>(malloc(sizeof(occurrence)));
        if (added == nullptr) {
            atomicAdd(refused, 1);
            continue;
        }
        added->document = document;
        auto* const head = reinterpret_cast<unsigned long long*>(&node->documents);
        unsigned long long before = *const_cast<unsigned long long volatile*>(head);
        for (;;) {
            added->next = reinterpret_cast<occurrence*>(before);
            __threadfence();
            unsigned long long const found =
                atomicCAS(head, before, reinterpret_cast<unsigned long long>(added));
            if (found == before) break;
            before = found;
        }
    }
}

/// A thread for each bucket adds up what the index holds.
__global__ void read_index(word_node* const* buckets, unsigned bucket_count, unsigned long long* totals) {
    unsigned const bucket = blockIdx.x * blockDim.x + threadIdx.x;
    if (bucket >= bucket_count) return;
    unsigned long long words = 0, occurrences = 0, sum = 0;
    for (word_node const* node = buckets[bucket]; node != nullptr; node = node->next) {
        ++words;
        for (occurrence const* each = node->documents; each != nullptr; each = each->next) {
            ++occurrences;
            sum += each->document + 1ull * node->length;
        }
    }
    atomicAdd(totals, words);
    atomicAdd(totals + 1, occurrences);
    atomicAdd(totals + 2, sum);
}

/// A thread for each bucket frees its nodes.
__global__ void clear_index(word_node** buckets, unsigned bucket_count) {
    unsigned const bucket = blockIdx.x * blockDim.x + threadIdx.x;
    if (bucket >= bucket_count) return;
    for (word_node* node = buckets[bucket]; node != nullptr;) {
        for (occurrence* each = node->documents; each != nullptr;) {
            occurrence* const next = each->next;
            free(each);
            each = next;
        }
        word_node* const next = node->next;
        free(node);
        node = next;
    }
    buckets[bucket] = nullptr;
}

/// Builds, reads and clears the index once.
inline index_times index_once(index_size const& size) {
    word_node** buckets = nullptr;
    unsigned* refused = nullptr;
    unsigned long long* totals = nullptr;
    succeeds(cudaMalloc(&buckets, size.buckets * sizeof *buckets));
    succeeds(cudaMalloc(&refused, sizeof *refused));
    succeeds(cudaMalloc(&totals, 3 * sizeof *totals));
    succeeds(cudaMemset(buckets, 0, size.buckets * sizeof *buckets));
    succeeds(cudaMemset(refused, 0, sizeof *refused));
    succeeds(cudaMemset(totals, 0, 3 * sizeof *totals));
    index_times found{};
    found.build = milliseconds([&] {
        add_documents<<<(size.documents + 127) / 128, 128>>>(buckets, size.buckets, size.documents,
                                                             size.per_document, size.words, refused);
    });
    found.read =
        milliseconds([&] { read_index<<<(size.buckets + 127) / 128, 128>>>(buckets, size.buckets, totals); });
    found.clear =
        milliseconds([&] { clear_index<<<(size.buckets + 127) / 128, 128>>>(buckets, size.buckets); });
    succeeds(cudaMemcpy(&found.refused, refused, sizeof found.refused, cudaMemcpyDeviceToHost));
    succeeds(cudaMemcpy(found.totals, totals, sizeof found.totals, cudaMemcpyDeviceToHost));
    succeeds(cudaFree(buckets));
    succeeds(cudaFree(refused));
    succeeds(cudaFree(totals));
    return found;
}
