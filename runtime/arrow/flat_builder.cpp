#include "runtime/arrow/flat_builder.h"

#include <algorithm>

namespace pelorus::arrow {

// Here, where the fields, which hold tables themselves, are complete.
FlatBuilder::FlatBuilder() = default;
FlatBuilder::~FlatBuilder() = default;
FlatBuilder::FlatBuilder(FlatBuilder&&) noexcept = default;
FlatBuilder& FlatBuilder::operator=(FlatBuilder&&) noexcept = default;
FlatBuilder::FlatBuilder(const FlatBuilder&) = default;
FlatBuilder& FlatBuilder::operator=(const FlatBuilder&) = default;

namespace {

void align(std::string& out, size_t alignment, size_t before = 0) {
    while ((out.size() + before) % alignment != 0) out += '\0';
}

template <class T>
void append(std::string& out, T number) {
    out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void patch(std::string& out, size_t place, uint32_t number) {
    std::memcpy(out.data() + place, &number, sizeof number);
}

}  // namespace

FlatBuilder::Field& FlatBuilder::fieldAt(int field) {
    fields_.emplace_back(field, Field{});
    return fields_.back().second;
}

void FlatBuilder::addText(int field, std::string_view text) {
    Field& added = fieldAt(field);
    added.kind = Kind::Text;
    added.bytes = text;
}

void FlatBuilder::addTable(int field, FlatBuilder table) {
    Field& added = fieldAt(field);
    added.kind = Kind::Table;
    added.tables.push_back(std::move(table));
}

void FlatBuilder::addTables(int field, std::vector<FlatBuilder> tables) {
    Field& added = fieldAt(field);
    added.kind = Kind::Tables;
    added.tables = std::move(tables);
}

void FlatBuilder::addStructs(int field, std::string bytes, size_t count) {
    Field& added = fieldAt(field);
    added.kind = Kind::Structs;
    added.bytes = std::move(bytes);
    added.count = count;
}

// Writes what an offset leads to, and returns its place.
size_t FlatBuilder::writeField(const Field& field, std::string& out) {
    if (field.kind == Kind::Table) return field.tables[0].writeTo(out);
    align(out, 4);
    if (field.kind == Kind::Text) {
        const size_t place = out.size();
        append(out, static_cast<uint32_t>(field.bytes.size()));
        out += field.bytes;
        out += '\0';
        return place;
    }
    if (field.kind == Kind::Structs) {
        align(out, 8, 4);  // the structures behind the length are aligned
        const size_t place = out.size();
        append(out, static_cast<uint32_t>(field.count));
        out += field.bytes;
        return place;
    }
    const size_t place = out.size();
    append(out, static_cast<uint32_t>(field.tables.size()));
    const size_t offsets = out.size();
    out.append(field.tables.size() * 4, '\0');
    for (size_t i = 0; i < field.tables.size(); ++i) {
        const size_t at = offsets + i * 4;
        patch(out, at, static_cast<uint32_t>(field.tables[i].writeTo(out) - at));
    }
    return place;
}

// A table is written behind the list of its fields' places (the vtable); what it leads to follows. Returns the place of
// the table.
size_t FlatBuilder::writeTo(std::string& out) const {
    int count = 0;
    for (const auto& [number, ignored] : fields_) count = std::max(count, number + 1);
    align(out, 2);
    const size_t vtable = out.size();
    out.append(4 + static_cast<size_t>(count) * 2, '\0');
    align(out, 8);
    const size_t table = out.size();
    append(out, static_cast<int32_t>(table - vtable));
    const auto put = [&](size_t place, size_t number) {
        const auto small = static_cast<uint16_t>(number);
        std::memcpy(out.data() + place, &small, sizeof small);
    };
    std::vector<std::pair<size_t, const Field*>> offsets;
    for (const auto& [number, field] : fields_) {
        align(out, field.kind == Kind::Number ? field.alignment : 4);
        put(vtable + 4 + static_cast<size_t>(number) * 2, out.size() - table);
        if (field.kind == Kind::Number) {
            out += field.bytes;
        } else {
            offsets.emplace_back(out.size(), &field);
            append(out, uint32_t{0});
        }
    }
    put(vtable, 4 + static_cast<size_t>(count) * 2);
    put(vtable + 2, out.size() - table);
    for (const auto& [place, field] : offsets) {
        const size_t target = writeField(*field, out);
        patch(out, place, static_cast<uint32_t>(target - place));
    }
    return table;
}

std::string FlatBuilder::finish() const {
    std::string out(4, '\0');
    const size_t root = writeTo(out);
    patch(out, 0, static_cast<uint32_t>(root));
    align(out, 8);
    return out;
}

}  // namespace pelorus::arrow
