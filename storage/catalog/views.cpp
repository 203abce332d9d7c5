#include "storage/catalog/views.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/io/bytes.h"

namespace pelorus {

// Keys. In files: never change.
//   view/<path>\n<name>    a ViewEntry
static constexpr std::string_view kPrefix = "view/";
static std::string prefixOf(const std::string& database) {
    return std::string(kPrefix) + database + "\n";
}
static std::string keyOf(const std::string& database, const std::string& name) {
    return prefixOf(database) + name;
}

static constexpr uint8_t kVersion = 1;

static std::string encode(const ViewEntry& view) {
    std::string bytes;
    ByteWriter writer(bytes);
    writer.fixed(kVersion);
    writer.string(view.query);
    writer.varint(view.searchPath.size());
    for (const std::string& schema : view.searchPath) writer.string(schema);
    writer.varint(view.columns.size());
    for (const ViewedColumn& column : view.columns) {
        writer.string(column.name);
        writer.string(column.written);
        writer.fixed(column.type);
        writer.fixed(column.modifier);
    }
    writer.varint(view.reads.size());
    for (const ViewSource& source : view.reads) {
        writer.string(source.database);
        writer.string(source.name);
    }
    return bytes;
}

static ViewEntry decode(const MetaEntry& entry) {
    ViewEntry view;
    const size_t border = entry.key.find('\n');
    view.database = entry.key.substr(kPrefix.size(), border - kPrefix.size());
    view.name = entry.key.substr(border + 1);
    view.revision = entry.revision;
    ByteReader reader(entry.value);
    const auto version = reader.fixed<uint8_t>();
    if (version == 0 || version > kVersion)
        throw SystemError("The view " + view.name + " was made by a newer version of Pelorus.");
    view.query = reader.string();
    for (uint64_t i = reader.varint(); i > 0; --i) view.searchPath.emplace_back(reader.string());
    for (uint64_t i = reader.varint(); i > 0; --i) {
        ViewedColumn& column = view.columns.emplace_back();
        column.name = reader.string();
        column.written = reader.string();
        column.type = reader.fixed<uint32_t>();
        column.modifier = reader.fixed<int32_t>();
    }
    for (uint64_t i = reader.varint(); i > 0; --i) {
        ViewSource& source = view.reads.emplace_back();
        source.database = reader.string();
        source.name = reader.string();
    }
    return view;
}

static std::vector<ViewEntry> decodeAll(const std::vector<MetaEntry>& entries) {
    std::vector<ViewEntry> views;
    views.reserve(entries.size());
    for (const MetaEntry& entry : entries) views.push_back(decode(entry));
    return views;
}

void Views::put(const ViewEntry& view) {
    const std::string key = keyOf(view.database, view.name);
    if (store_().transact({{key, view.revision}}, {{key, encode(view), 0}}).done) return;
    throw UserError(fmt::format("<DuplicateName>The view {} was made or changed by somebody else.", view.name),
                    "Repeat the statement.");
}

std::optional<ViewEntry> Views::find(const std::string& database, const std::string& name) const {
    const std::optional<MetaEntry> entry = store_().get(keyOf(database, name));
    if (!entry) return std::nullopt;
    return decode(*entry);
}

std::vector<ViewEntry> Views::all(const std::string& database) const {
    return decodeAll(store_().range(prefixOf(database)).entries);
}

std::vector<ViewEntry> Views::all() const {
    return decodeAll(store_().range(std::string(kPrefix)).entries);
}

void Views::drop(const std::string& database, const std::string& name) {
    store_().transact({}, {{keyOf(database, name), std::nullopt, 0}});
}

std::vector<MetaWrite> removalsOfViews(MetaStore& store, const std::string& database) {
    std::vector<MetaWrite> removals;
    for (const MetaEntry& entry : store.range(prefixOf(database)).entries)
        removals.push_back({entry.key, std::nullopt, 0});
    return removals;
}

}  // namespace pelorus
