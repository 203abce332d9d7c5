#include "storage/rows/row_images.h"

#include "common/error.h"

namespace pelorus {

void encodeRowImages(const RowImages& images, std::string& bytes) {
    ByteWriter writer(bytes);
    writer.varint(images.number);
    writer.varint(images.logFile);
    writer.varint(images.tables.size());
    for (const auto& [id, table] : images.tables) {
        writer.varint(id);
        writer.varint(table.columns.size());
        for (const RowColumn& column : table.columns) {
            writer.fixed(column.type);
            writer.fixed(column.scale);
        }
        writer.varint(table.pages.size());
        for (const RowImageBlock& page : table.pages) {
            writer.varint(page.file);
            writer.varint(static_cast<uint64_t>(page.offset));
            writer.varint(static_cast<uint64_t>(page.sizeBytes));
        }
    }
}

RowImages decodeRowImages(ByteReader& reader) {
    RowImages images;
    images.number = reader.varint();
    images.logFile = reader.varint();
    for (uint64_t tables = reader.count(3); tables > 0; --tables) {
        RowImages::Table& table = images.tables[reader.varint()];
        table.columns.resize(reader.count(2));
        for (RowColumn& column : table.columns) {
            column.type = reader.fixed<Type>();
            column.scale = reader.fixed<uint8_t>();
            if (static_cast<int>(column.type) >= kTypeCount || !isRowType(column.type))
                throw SystemError("A checkpoint names a column of a row table that no version has.");
        }
        table.pages.resize(reader.count(3));
        for (RowImageBlock& page : table.pages) {
            page.file = reader.varint();
            page.offset = static_cast<int64_t>(reader.varint());
            page.sizeBytes = static_cast<int64_t>(reader.varint());
        }
    }
    return images;
}

}  // namespace pelorus
