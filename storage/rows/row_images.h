// Where the images of the pages of row tables are, so that the log need not keep all changes of their rows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/io/bytes.h"
#include "storage/rows/row_layout.h"

namespace pelorus {

// The place of a page's image: a block of a file of images.
struct RowImageBlock {
    uint64_t file = 0;  // number of the file
    int64_t offset = 0, sizeBytes = 0;
    friend bool operator==(const RowImageBlock&, const RowImageBlock&) = default;
};

// The images of all row tables of a data folder at one number. A plain value.
struct RowImages {
    struct Table {
        RowColumns columns;                // at least those that the images have
        std::vector<RowImageBlock> pages;  // in the order of pages
    };

    uint64_t number = 0;   // the images have the changes of the commits up to it, and no others
    uint64_t logFile = 0;  // later ones are in the log from this file on
    std::map<uint64_t, Table> tables;
};

// Appends the encoded places.
void encodeRowImages(const RowImages& images, std::string& bytes);
// Returns the places that encodeRowImages appended. Throws SystemError when bytes are malformed.
RowImages decodeRowImages(ByteReader& reader);

}  // namespace pelorus
