#include "storage/rows/row_edits.h"

#include "common/error.h"

namespace pelorus {
namespace {

[[noreturn]] void throwDamaged() {
    throw SystemError("Changes of rows in the log are damaged.", "Restore the data folder from a copy.");
}

// Returns the end of the changes from `begin` on that have one kind and write the same columns.
size_t endOfRun(const std::vector<RowChange>& changes, size_t begin) {
    size_t end = begin;
    while (end < changes.size() && changes[end].kind == changes[begin].kind &&
           changes[end].columns == changes[begin].columns)
        ++end;
    return end;
}

void decodeRun(ByteReader& reader, RowEdits& edits) {
    const auto kind = reader.fixed<RowChangeKind>();
    if (kind < RowChangeKind::Insert || kind > RowChangeKind::Erase) throwDamaged();
    std::vector<int> columns(reader.count());
    for (int& column : columns) {
        const uint64_t position = reader.varint();
        if (position >= edits.columns.size()) throwDamaged();
        column = static_cast<int>(position);
    }
    for (uint64_t rows = reader.count(); rows > 0; --rows) {
        RowChange& change = edits.changes.emplace_back();
        change.kind = kind;
        change.columns = columns;
        change.row = reader.varint();
        for (const int column : columns) {
            const RowColumn& type = edits.columns[static_cast<size_t>(column)];
            change.cells.add(isTextColumn(type) ? reader.string()
                                                : reader.raw(static_cast<size_t>(widthOf(type.type))));
        }
    }
}

}  // namespace

void encodeRowEdits(const RowEdits& edits, std::string& bytes) {
    ByteWriter writer(bytes);
    writer.varint(edits.table);
    writer.varint(edits.columns.size());
    for (const RowColumn& column : edits.columns) {
        writer.fixed(column.type);
        writer.fixed(column.scale);
    }
    size_t runs = 0;
    for (size_t i = 0; i < edits.changes.size(); i = endOfRun(edits.changes, i)) ++runs;
    writer.varint(runs);
    for (size_t begin = 0, end; begin < edits.changes.size(); begin = end) {
        end = endOfRun(edits.changes, begin);
        const RowChange& first = edits.changes[begin];
        writer.fixed(first.kind);
        writer.varint(first.columns.size());
        for (const int column : first.columns) writer.varint(static_cast<uint64_t>(column));
        writer.varint(end - begin);
        for (size_t i = begin; i < end; ++i) {
            const RowChange& change = edits.changes[i];
            writer.varint(change.row);
            for (size_t c = 0; c < change.columns.size(); ++c) {
                const RowCell cell = change.cells[c];
                if (isTextColumn(edits.columns[static_cast<size_t>(change.columns[c])]))
                    writer.string(cell);
                else
                    writer.raw(cell.data(), cell.size());
            }
        }
    }
}

RowEdits decodeRowEdits(ByteReader& reader) {
    RowEdits edits;
    edits.table = reader.varint();
    edits.columns.resize(reader.count(2));
    for (RowColumn& column : edits.columns) {
        column.type = reader.fixed<Type>();
        column.scale = reader.fixed<uint8_t>();
        if (static_cast<int>(column.type) >= kTypeCount || !isRowType(column.type)) throwDamaged();
    }
    for (uint64_t runs = reader.count(); runs > 0; --runs) decodeRun(reader, edits);
    return edits;
}

}  // namespace pelorus
