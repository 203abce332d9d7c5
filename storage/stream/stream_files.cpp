#include "storage/stream/stream_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "common/io/bytes.h"
#include "common/time/local_clock.h"
#include "storage/codec/row_codec.h"
#include "storage/commit/stream_commits.h"
#include "storage/table/local_table.h"
#include "storage/version/version_set.h"

namespace pelorus {

namespace {

// Keys. In files: never change.
//   stream/table/<name>             a StreamEntry
//   stream/first/<name>             the number of the first row
//   stream/counter                  the last table id given, without its bit
//   stream/position/<table>/<action> the position of a subscription
constexpr const char* kCounter = "stream/counter";
constexpr const char* kTables = "stream/table/";
constexpr const char* kPositions = "stream/position/";
std::string tableKey(const std::string& name) {
    return kTables + name;
}
std::string firstKey(const std::string& name) {
    return "stream/first/" + name;
}
std::string positionKey(const std::string& topic) {
    return kPositions + topic;
}

constexpr uint8_t kEntryVersion = 1;
constexpr uint8_t kPositionVersion = 1;

// A stream table as it is noted in the folder. A plain value.
struct StreamEntry {
    uint64_t table = 0;
    TableSchema columns;
    std::string arrival;  // name of the column with the time of arrival, which is stored before the others
    std::string owner;
};

std::string encode(const StreamEntry& entry) {
    std::string bytes;
    ByteWriter writer(bytes);
    writer.fixed(kEntryVersion);
    writer.fixed(entry.table);
    writer.string(entry.arrival);
    writer.string(entry.owner);
    encodeSchema(entry.columns, bytes);
    return bytes;
}

StreamEntry decodeEntry(const std::string& name, const std::string& bytes) {
    ByteReader reader(bytes);
    if (reader.fixed<uint8_t>() != kEntryVersion) {
        throw SystemError(fmt::format("The stream table {} was made by a newer version of Pelorus.", name),
                          "Open the folder with that version.");
    }
    StreamEntry entry;
    entry.table = reader.fixed<uint64_t>();
    entry.arrival = reader.string();
    entry.owner = reader.string();
    entry.columns = decodeSchema(reader);
    return entry;
}

std::string encodeNumber(int64_t number) {
    std::string bytes;
    ByteWriter(bytes).fixed(number);
    return bytes;
}

int64_t decodeNumber(const std::string& bytes) {
    ByteReader reader(bytes);
    return reader.fixed<int64_t>();
}

// Returns a name for the column of arrival that no column has.
std::string freeName(const TableSchema& columns) {
    std::string name = "arrival";
    const auto isTaken = [&] {
        return std::any_of(columns.begin(), columns.end(), [&](const ColumnSchema& c) { return c.name == name; });
    };
    while (isTaken()) name += '_';
    return name;
}

// The rows of one stream table. Thread-safe, but for appends.
class LocalStreamStore final : public StreamStore {
public:
    LocalStreamStore(std::shared_ptr<LocalStorage> storage, std::string name, StreamEntry entry)
        : storage_(std::move(storage)), name_(std::move(name)), owner_(entry.owner), entry_(std::move(entry)) {}

    const std::string& owner() const override { return owner_; }
    TableSchema columns() const override { return entry().columns; }
    std::pair<int64_t, int64_t> range() const override {
        const Seen seen(*this);
        return {seen.first, seen.first + seen.rowCount()};
    }
    void append(const Ref<MemoryTable>& rows, const std::vector<int64_t>& ends, StreamSync sync) override;
    StreamRows read(int64_t row, int64_t count) const override;
    int64_t removeBefore(int64_t nanos) override;

private:
    // The rows as of one commit.
    struct Seen {
        explicit Seen(const LocalStreamStore& store) : pin(store.storage_->versions(), 0) {
            VersionSet& versions = store.storage_->versions();
            const uint64_t chunk = versions.find(store.entry().table, "/", pin.number());
            version = chunk == 0 ? nullptr : versions.version(chunk, pin.number());
            const auto noted = store.storage_->metadata().get(firstKey(store.name_), pin.number());
            first = noted ? decodeNumber(noted->value) : 0;
        }
        int64_t rowCount() const { return version ? version->rowCount : 0; }
        const VersionSet::Pin pin;
        ChunkVersionRef version;
        int64_t first = 0;
    };

    StreamEntry entry() const {
        const MutexLock lock(mutex_);
        return entry_;
    }
    // Returns the columns as they are stored.
    static TableSchema storedColumns(const StreamEntry& entry) {
        TableSchema stored = {{entry.arrival, Type::NanoTimestamp}};
        stored.insert(stored.end(), entry.columns.begin(), entry.columns.end());
        return stored;
    }
    Ref<MemoryTable> withArrival(const MemoryTable& rows, const std::vector<int64_t>& ends, const StreamEntry& entry);

    const std::shared_ptr<LocalStorage> storage_;
    const std::string name_, owner_;
    int64_t lastArrival_ = 0;  // of the thread that appends
    mutable Mutex mutex_;
    StreamEntry entry_ GUARDED_BY(mutex_);
};

// Each append gets a later time than the one before, however the clock goes.
Ref<MemoryTable> LocalStreamStore::withArrival(const MemoryTable& rows, const std::vector<int64_t>& ends,
                                               const StreamEntry& entry) {
    if (lastArrival_ == 0) {
        const auto [first, total] = range();
        lastArrival_ = 1;
        if (total > first) {
            const Seen seen(*this);
            const auto reader = makeChunkReader(seen.version, storedColumns(entry), {});
            const Value last = reader->read(reader->blockCount() - 1, 0);
            lastArrival_ = last.vector().data<int64_t>()[last.size() - 1];
        }
    }
    const Ref<Vector> times = Vector::make(Type::NanoTimestamp, rows.rowCount());
    int64_t* at = times->mutableData<int64_t>();
    int64_t begin = 0, arrival = std::max(localNanos(), lastArrival_ + 1);
    for (const int64_t end : ends) {
        std::fill(at + begin, at + end, arrival);
        lastArrival_ = arrival++;
        begin = end;
    }
    std::vector<std::string> names = {entry.arrival};
    std::vector<Value> columns = {Value::of(times)};
    for (int c = 0; c < rows.columnCount(); ++c) {
        names.push_back(rows.columns()[static_cast<size_t>(c)].name);
        columns.push_back(rows.column(c));
    }
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

void LocalStreamStore::append(const Ref<MemoryTable>& rows, const std::vector<int64_t>& ends, StreamSync sync) {
    CHECK(!ends.empty() && ends.back() == rows->rowCount()) << "the last append ends with the rows";
    StreamEntry entry = this->entry();
    const TableSchema& given = rows->columns();
    const bool begins = given.size() >= entry.columns.size() &&
                        std::equal(entry.columns.begin(), entry.columns.end(), given.begin(),
                                   [](const ColumnSchema& a, const ColumnSchema& b) {
                                       return a.name == b.name && a.type == b.type && a.scale == b.scale;
                                   });
    if (!begins) throw UserError(fmt::format("The columns of the stream table {} differ from those on disk.", name_));
    const bool isWider = rows->columnCount() > static_cast<int>(entry.columns.size());
    std::vector<MetaWrite> writes;
    if (isWider) {
        entry.columns = rows->columns();
        if (rows->findColumn(entry.arrival) >= 0)
            throw UserError(
                fmt::format("The stream table {} can't keep a column named {} on disk: the time of arrival "
                            "has that name there.",
                            name_, entry.arrival));
        writes.push_back({tableKey(name_), encode(entry), 0});
    }
    const WalWriter::Sync when = sync == StreamSync::Later   ? WalWriter::Sync::Later
                                 : sync == StreamSync::AsSet ? WalWriter::Sync::AsSet
                                                             : WalWriter::Sync::Always;
    storage_->streams().append(entry.table, withArrival(*rows, ends, entry), writes, when);
    if (!isWider) return;
    const MutexLock lock(mutex_);
    entry_ = std::move(entry);
}

StreamRows LocalStreamStore::read(int64_t row, int64_t count) const {
    const StreamEntry known = entry();
    const Seen seen(*this);
    StreamRows found;
    found.begin = row;
    int64_t at = row - seen.first;
    if (at < 0 || at >= seen.rowCount()) return found;
    const auto reader = makeChunkReader(seen.version, storedColumns(known), {});
    found.rows = MemoryTable::empty(known.columns);
    std::vector<Value> columns;
    for (const ColumnSchema& column : known.columns) columns.push_back(filledColumn(column.type, column.scale, 0));
    int64_t taken = 0, arrival = 0;
    for (int block = 0; block < reader->blockCount(); ++block) {
        const int64_t rows = reader->blockRows(block);
        if (at >= rows) {
            at -= rows;
            continue;
        }
        const Value times = reader->read(block, 0);
        const int64_t* arrivals = times.vector().data<int64_t>();
        int64_t end = at;
        // A row belongs to these unless enough are there and it begins another append.
        for (; end < rows; ++end) {
            const bool isNext = taken + (end - at) > 0 && arrivals[end] != arrival;
            if (isNext) found.ends.push_back(row + taken + (end - at));
            if (isNext && taken + (end - at) >= count) break;
            arrival = arrivals[end];
        }
        std::vector<int64_t> positions(static_cast<size_t>(end - at));
        for (int64_t i = at; i < end; ++i) positions[static_cast<size_t>(i - at)] = i;
        for (size_t c = 0; c < columns.size() && !positions.empty(); ++c) {
            const Value part = gatherElements(reader->read(block, static_cast<int>(c) + 1), positions.data(),
                                              static_cast<int64_t>(positions.size()));
            appendElements(columns[c], part);
        }
        taken += end - at;
        if (end < rows) break;
        at = 0;
    }
    if (found.ends.empty() || found.ends.back() != row + taken) found.ends.push_back(row + taken);
    std::vector<std::string> names;
    for (const ColumnSchema& column : known.columns) names.push_back(column.name);
    found.rows = makeRef<MemoryTable>(std::move(names), std::move(columns));
    return found;
}

int64_t LocalStreamStore::removeBefore(int64_t nanos) {
    const StreamEntry known = entry();
    const auto isOld = [&](const Segment& segment) {
        const BlockBounds bounds = segment.bounds(segment.blockCount() - 1, 0);
        return bounds.known && bounds.max.asLong() < nanos;
    };
    return storage_->streams().removeOldest(known.table, isOld, [&](int64_t rows) {
        const auto noted = storage_->metadata().get(firstKey(name_));
        return MetaWrite{firstKey(name_), encodeNumber((noted ? decodeNumber(noted->value) : 0) + rows), 0};
    });
}

}  // namespace

std::vector<std::string> LocalStreamFolder::names() const {
    std::vector<std::string> names;
    for (const MetaEntry& entry : storage_->metadata().range(kTables).entries)
        names.push_back(entry.key.substr(std::string_view(kTables).size()));
    return names;
}

std::shared_ptr<StreamStore> LocalStreamFolder::find(const std::string& name) const {
    const auto noted = storage_->metadata().get(tableKey(name));
    if (!noted) return nullptr;
    return std::make_shared<LocalStreamStore>(storage_, name, decodeEntry(name, noted->value));
}

std::shared_ptr<StreamStore> LocalStreamFolder::make(const std::string& name, const TableSchema& columns,
                                                     const std::string& owner, int64_t first) {
    for (const ColumnSchema& column : columns) {
        if (isStorable(column.type)) continue;
        throw UserError(fmt::format("The column {} has type {}, which a table on disk cannot hold.", column.name,
                                    typeName(column.type)));
    }
    const MutexLock lock(mutex_);
    CHECK(!storage_->metadata().get(tableKey(name))) << "a stream table is made once";
    const auto counted = storage_->metadata().get(kCounter);
    const int64_t number = (counted ? decodeNumber(counted->value) : 0) + 1;
    const StreamEntry entry{static_cast<uint64_t>(number) | kStreamTableBit, columns, freeName(columns), owner};
    storage_->streams().write({{kCounter, encodeNumber(number), 0},
                               {firstKey(name), encodeNumber(first), 0},
                               {tableKey(name), encode(entry), 0}},
                              WalWriter::Sync::AsSet);
    return std::make_shared<LocalStreamStore>(storage_, name, entry);
}

void LocalStreamFolder::remove(const std::string& name) {
    const MutexLock lock(mutex_);
    const auto noted = storage_->metadata().get(tableKey(name));
    if (!noted) return;
    std::vector<MetaWrite> writes = {{tableKey(name), std::nullopt, 0}, {firstKey(name), std::nullopt, 0}};
    for (const MetaEntry& entry : storage_->metadata().range(positionKey(name + "/")).entries)
        writes.push_back({entry.key, std::nullopt, 0});
    storage_->streams().remove(decodeEntry(name, noted->value).table, writes);
}

std::optional<StreamFolder::Position> LocalStreamFolder::position(const std::string& topic) const {
    const auto noted = storage_->metadata().get(positionKey(topic));
    if (!noted) return std::nullopt;
    ByteReader reader(noted->value);
    if (reader.fixed<uint8_t>() != kPositionVersion)
        throw SystemError(fmt::format("The position of {} was stored by a newer version of Pelorus.", topic));
    Position position;
    position.row = reader.fixed<int64_t>();
    position.owner = reader.string();
    return position;
}

void LocalStreamFolder::setPosition(const std::string& topic, const Position& position) {
    std::string bytes;
    ByteWriter writer(bytes);
    writer.fixed(kPositionVersion);
    writer.fixed(position.row);
    writer.string(position.owner);
    storage_->streams().write({{positionKey(topic), bytes, 0}}, WalWriter::Sync::Later);
}

void LocalStreamFolder::removePosition(const std::string& topic) {
    if (!storage_->metadata().get(positionKey(topic))) return;
    storage_->streams().write({{positionKey(topic), std::nullopt, 0}}, WalWriter::Sync::AsSet);
}

void LocalStreamFolder::sync() {
    if (storage_->options().dataSync) storage_->log().sync();
}

}  // namespace pelorus
