// Blocks of the sizes that a column of 65,536 rows takes, cut from huge pages: a scan that decodes a table for the
// first time would otherwise meet a page fault for each 4 KB.
//
// Thread-safe. Memory goes back to the system when all blocks of a slab are free, but for the last such slab of a size.
#pragma once

#include <cstddef>

namespace pelorus::memory {

// Returns whether takeSlabBlock makes blocks of this size: a power of two from 128 KB to 2 MB, and one page for the
// padding.
bool isSlabSize(size_t bytes);

// Returns a block of such a size, aligned to 4 KB; nullptr when the system refuses.
char* takeSlabBlock(size_t bytes);
// Frees a block. REQUIRES: `block` came from takeSlabBlock(bytes).
void giveSlabBlock(char* block, size_t bytes) noexcept;

}  // namespace pelorus::memory
