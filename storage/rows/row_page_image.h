// The image of a page of a row table: its rows at one number, as bytes for a file.
#pragma once

#include <cstdint>
#include <string>

#include "common/io/bytes.h"
#include "storage/rows/row_layout.h"
#include "storage/rows/row_page.h"

namespace pelorus {

// Makes and reads images of pages. Bytes: docs/formats/wal.md.
class RowPageImage {
public:
    // Returns whether the page may have versions from commits above `number` or not yet numbered.
    static bool isChangedSince(const RowPage& page, uint64_t number);
    // Returns the bytes of the page's cells, about: those of an image before it is compressed.
    static int64_t sizeBytes(const RowPage& page);
    // Appends the rows of the view. Throws SystemError when versions that it needs were given up.
    static void append(const RowPage& page, const RowView& view, std::string& bytes);
    // Reads rows that `append` wrote into a new page, as committed at `number`, and returns the number of slots that
    // they use. `columns` are those of the table, which may have more than the image. Throws SystemError when bytes are
    // malformed.
    static int load(RowPage& page, ByteReader& reader, const RowColumns& columns, uint64_t number);
};

}  // namespace pelorus
