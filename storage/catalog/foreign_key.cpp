#include "storage/catalog/foreign_key.h"

#include <algorithm>

#include "common/error.h"
#include "common/io/bytes.h"

namespace pelorus {

std::vector<ReferringTable> parentsOf(const TableEntry& table) {
    std::vector<ReferringTable> parents;
    if (!table.rowTable) return parents;
    for (const ForeignKey& key : table.rowTable->foreignKeys) {
        if (key.parentDatabase == table.database && key.parentTable == table.name) continue;
        parents.push_back({key.parentDatabase, key.parentTable});
    }
    std::sort(parents.begin(), parents.end());
    parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
    return parents;
}

std::vector<ForeignKey> foreignKeysTo(const TableEntry& child, const TableEntry& parent) {
    std::vector<ForeignKey> keys;
    if (!child.rowTable) return keys;
    for (const ForeignKey& key : child.rowTable->foreignKeys)
        if (key.parentDatabase == parent.database && key.parentTable == parent.name) keys.push_back(key);
    return keys;
}

static void encodeNames(const std::vector<std::string>& names, ByteWriter& writer) {
    writer.varint(names.size());
    for (const std::string& name : names) writer.string(name);
}

static std::vector<std::string> decodeNames(ByteReader& reader) {
    std::vector<std::string> names(reader.count());
    for (std::string& name : names) name = reader.string();
    return names;
}

static ForeignKey::Action decodeAction(ByteReader& reader) {
    const auto action = reader.fixed<ForeignKey::Action>();
    if (action > ForeignKey::Action::SetDefault) throw SystemError("A foreign key of the catalog is damaged.");
    return action;
}

void encodeForeignKeys(const RowTableFacts& facts, std::string& bytes) {
    ByteWriter writer(bytes);
    writer.varint(facts.foreignKeys.size());
    for (const ForeignKey& key : facts.foreignKeys) {
        for (const std::string* text : {&key.name, &key.parentDatabase, &key.parentTable}) writer.string(*text);
        encodeNames(key.columns, writer);
        encodeNames(key.parentColumns, writer);
        writer.fixed(key.onUpdate);
        writer.fixed(key.onDelete);
        encodeNames(key.setColumns, writer);
        writer.fixed<uint8_t>(key.isDeferrable);
        writer.fixed<uint8_t>(key.isDeferred);
    }
    writer.varint(facts.referredBy.size());
    for (const ReferringTable& table : facts.referredBy) {
        writer.string(table.database);
        writer.string(table.name);
    }
}

void decodeForeignKeys(ByteReader& reader, RowTableFacts& facts) {
    facts.foreignKeys.resize(reader.count(10));
    for (ForeignKey& key : facts.foreignKeys) {
        for (std::string* text : {&key.name, &key.parentDatabase, &key.parentTable}) *text = reader.string();
        key.columns = decodeNames(reader);
        key.parentColumns = decodeNames(reader);
        key.onUpdate = decodeAction(reader);
        key.onDelete = decodeAction(reader);
        key.setColumns = decodeNames(reader);
        key.isDeferrable = reader.fixed<uint8_t>() != 0;
        key.isDeferred = reader.fixed<uint8_t>() != 0;
        if (key.columns.empty() || key.columns.size() != key.parentColumns.size())
            throw SystemError("A foreign key of the catalog is damaged.");
    }
    facts.referredBy.resize(reader.count(2));
    for (ReferringTable& table : facts.referredBy) {
        table.database = reader.string();
        table.name = reader.string();
    }
}

}  // namespace pelorus
