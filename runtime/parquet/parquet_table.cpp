#include "runtime/parquet/parquet_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/function/file_access.h"
#include "runtime/parquet/open_files.h"
#include "runtime/parquet/row_group_reader.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"

namespace pelorus {

using parquet_file::ColumnReader;
using parquet_file::MatchedFile;
using parquet_file::ParquetFile;

namespace {

// The row groups at one time, which is that of the files.
class FilesSnapshot final : public TableSnapshot {
public:
    explicit FilesSnapshot(std::shared_ptr<const ParquetTable::State> state) : state_(std::move(state)) {
        for (const ParquetTable::Group& group : state_->groups)
            partitions_.push_back({fmt::format("{}#{}", state_->files[group.file]->path(), group.rowGroup), {}, ""});
    }
    uint64_t number() const override { return 0; }
    const std::vector<PartitionEntry>& partitions() const override { return partitions_; }
    std::unique_ptr<PartitionReader> open(size_t partition) const override {
        return std::make_unique<RowGroupReader>(state_, partition);
    }

private:
    const std::shared_ptr<const ParquetTable::State> state_;
    std::vector<PartitionEntry> partitions_;
};

// Finds the table's columns in another file than the first. Throws UserError when it has others.
std::vector<int> placesIn(const ParquetFile& file, const ParquetFile& first) {
    std::vector<int> places;
    for (const ColumnSchema& column : first.columns()) {
        const int place = file.findColumn(column.name);
        if (place < 0) {
            throw UserError(fmt::format("{} has no column {}, which {} has.", file.path(), column.name, first.path()),
                            "Read the files one by one, each with the columns that it has.");
        }
        const ColumnSchema& found = file.columns()[static_cast<size_t>(place)];
        if (found.type != column.type || found.scale != column.scale) {
            throw UserError(fmt::format("The column {} is {} in {} and {} in {}.", column.name,
                                        typeString(column.type, column.scale), first.path(),
                                        typeString(found.type, found.scale), file.path()),
                            "Read the files one by one, and give each a schema.");
        }
        places.push_back(place);
    }
    return places;
}

bool isDate(const std::string& text) {
    if (text.size() != 10) return false;
    for (size_t i = 0; i < text.size(); ++i) {
        const bool isMark = i == 4 || i == 7;
        if (isMark ? text[i] != '-' && text[i] != '.' : text[i] < '0' || text[i] > '9') return false;
    }
    return true;
}

bool isInteger(const std::string& text) {
    const size_t digits = text.starts_with('-') ? 1 : 0;
    return text.size() > digits && text.size() - digits <= 18 &&
           text.find_first_not_of("0123456789", digits) == std::string::npos;
}

// Makes a column of the keys of all files, of the narrowest type that holds them: INT, LONG, DATE or SYMBOL.
Value keyColumn(const std::vector<std::string>& texts) {
    const auto all = [&](bool (*is)(const std::string&)) {
        return std::all_of(texts.begin(), texts.end(), [&](const std::string& t) { return t.empty() || is(t); });
    };
    const Value strings = Value::of(Vector::ofStrings(texts));
    if (all(isDate)) return cast(strings, Type::Date);
    if (!all(isInteger)) return Value::of(Vector::ofStrings(texts, Type::Symbol));
    const Value longs = cast(strings, Type::Long);
    for (int64_t i = 0; i < longs.size(); ++i) {
        const int64_t x = longs.vector().data<int64_t>()[i];
        if (!isNull(x) && (x > INT32_MAX || x <= INT32_MIN)) return longs;
    }
    return cast(longs, Type::Int);
}

// Adds the keys that all files have, and no column is called.
void addKeys(const std::vector<MatchedFile>& matched, TableSchema& schema, std::vector<Value>& keys) {
    for (const auto& [name, ignored] : matched[0].keys) {
        const bool isColumn = std::any_of(schema.begin(), schema.end(), [&](const auto& c) { return c.name == name; });
        if (isColumn) continue;
        std::vector<std::string> texts;
        for (const MatchedFile& file : matched) {
            const auto own =
                std::find_if(file.keys.begin(), file.keys.end(), [&](const auto& k) { return k.first == name; });
            if (own != file.keys.end()) texts.push_back(own->second);
        }
        if (texts.size() != matched.size()) continue;
        keys.push_back(keyColumn(texts));
        schema.push_back({name, keys.back().type(), 0, ""});
    }
}

}  // namespace

Ref<ParquetTable> ParquetTable::open(const Context& context, const std::string& pattern) {
    UserFiles& files = userFiles(context);
    const std::vector<MatchedFile> matched = parquet_file::matchFiles(files, pattern);
    const auto opened = std::make_shared<parquet_file::OpenFiles>(files);
    const auto state = std::make_shared<State>();
    state->files.resize(matched.size());
    parquet_file::library();  // its absence is told once, and not by some thread
    parallelFor(static_cast<int64_t>(matched.size()), [&](int64_t i) {
        const auto at = static_cast<size_t>(i);
        state->files[at] = std::make_unique<ParquetFile>(*opened, matched[at].path);
    });
    Ref<ParquetTable> table(new ParquetTable);
    const ParquetFile& first = *state->files[0];
    table->schema_ = first.columns();
    state->fileColumns = table->columnCount();
    addKeys(matched, table->schema_, state->keys);
    table->findGroups(*state);
    table->state_ = state;
    return table;
}

Ref<ParquetTable> ParquetTable::open(std::shared_ptr<File> file) {
    const auto state = std::make_shared<State>();
    state->files.push_back(std::make_unique<ParquetFile>(std::move(file)));
    Ref<ParquetTable> table(new ParquetTable);
    table->schema_ = state->files[0]->columns();
    state->fileColumns = table->columnCount();
    table->findGroups(*state);
    table->state_ = state;
    return table;
}

void ParquetTable::findGroups(State& state) {
    for (size_t f = 0; f < state.files.size(); ++f) {
        state.places.push_back(placesIn(*state.files[f], *state.files[0]));
        for (int g = 0; g < state.files[f]->rowGroupCount(); ++g) {
            if (state.files[f]->rowCount(g) > 0) state.groups.push_back({f, g});
        }
    }
}

int64_t ParquetTable::rowCount() const {
    int64_t rows = 0;
    for (const Group& group : state_->groups) rows += state_->files[group.file]->rowCount(group.rowGroup);
    return rows;
}

int64_t ParquetTable::rowsOfGroup(int group) const {
    const Group& place = state_->groups[static_cast<size_t>(group)];
    return state_->files[place.file]->rowCount(place.rowGroup);
}

std::shared_ptr<TableSnapshot> ParquetTable::takeSnapshot(uint64_t) const {
    return std::make_shared<FilesSnapshot>(state_);
}

AppendReport ParquetTable::append(const MemoryTable&) {
    throw UserError("A Parquet file that is read in place takes no rows.", "Write a file with saveParquet.");
}

void ParquetTable::requireReadable(const std::vector<int>& columns) const {
    for (size_t f = 0; f < state_->files.size(); ++f) {
        for (const int c : columns) {
            if (c < state_->fileColumns) state_->files[f]->requireReadable(state_->places[f][static_cast<size_t>(c)]);
        }
    }
}

namespace {

// The columns of a load, which tasks fill: numbers by row groups, strings by columns, since one vector of strings has
// one writer.
class Loading {
public:
    Loading(const ParquetTable::State& state, int first, int count) : state_(state) {
        for (int g = first; g < first + count; ++g) {
            groups_.push_back(state.groups[static_cast<size_t>(g)]);
            begins_.push_back(rows_);
            rows_ += file(groups_.size() - 1).rowCount(groups_.back().rowGroup);
        }
    }

    void add(int column) {
        columns_.emplace_back();
        const size_t c = columns_.size() - 1;
        if (column >= state_.fileColumns || groups_.empty() || file(0).isList(placeOf(0, column))) {
            tasks_.push_back(
                [this, c, column] { columns_[c] = column >= state_.fileColumns ? keys(column) : lists(column); });
            return;
        }
        filled_.resize(c + 1);
        filled_[c] = file(0).makeVector(placeOf(0, column), rows_);
        if (storageOf(filled_[c]->type()) == Storage::String) {
            tasks_.insert(tasks_.begin(), [this, c, column] {
                for (size_t g = 0; g < groups_.size(); ++g) fill(c, column, g, *filled_[c]);
            });
            return;
        }
        // Tasks write to one buffer, each its own rows, through vectors of their own.
        for (size_t g = 0; g < groups_.size(); ++g) {
            tasks_.push_back([this, c, column, g] { fill(c, column, g, *filled_[c]); });
        }
    }

    void run() {
        parallelFor(static_cast<int64_t>(tasks_.size()), [&](int64_t i) { tasks_[static_cast<size_t>(i)](); });
    }

    Value finished(size_t c, int column) {
        if (c >= filled_.size() || !filled_[c]) return std::move(columns_[c]);
        return file(0).finished(placeOf(0, column), std::move(filled_[c]));
    }

private:
    const ParquetFile& file(size_t g) const { return *state_.files[groups_[g].file]; }
    int placeOf(size_t g, int column) const { return state_.places[groups_[g].file][static_cast<size_t>(column)]; }

    void fill(size_t, int column, size_t g, Vector& target) const {
        const std::unique_ptr<ColumnReader> reader = file(g).openColumn(groups_[g].rowGroup, placeOf(g, column));
        file(g).read(*reader, groups_[g].rowGroup, placeOf(g, column), target, begins_[g],
                     file(g).rowCount(groups_[g].rowGroup));
    }

    Value keys(int column) const {
        const Value& known = state_.keys[static_cast<size_t>(column - state_.fileColumns)];
        Ref<Vector> all = Vector::make(known.type(), 0, rows_);
        for (size_t g = 0; g < groups_.size(); ++g) {
            const Value key = known.at(static_cast<int64_t>(groups_[g].file));
            all->append(*Vector::filled(known.type(), file(g).rowCount(groups_[g].rowGroup), key), 0,
                        file(g).rowCount(groups_[g].rowGroup));
        }
        return Value::of(std::move(all));
    }

    Value lists(int column) const {
        Value all;
        for (size_t g = 0; g < groups_.size(); ++g) {
            Value one = file(g).readLists(groups_[g].rowGroup, placeOf(g, column));
            if (all.isVoid())
                all = std::move(one);
            else
                all.arrayVector().append(one.arrayVector());
        }
        return all;
    }

    const ParquetTable::State& state_;
    std::vector<ParquetTable::Group> groups_;
    std::vector<int64_t> begins_;
    int64_t rows_ = 0;
    std::vector<Value> columns_;
    std::vector<Ref<Vector>> filled_;
    std::vector<std::function<void()>> tasks_;
};

}  // namespace

Ref<MemoryTable> ParquetTable::load(const std::vector<int>& columns, int first, int count,
                                    const Context& context) const {
    context.checkCancelled();
    requireReadable(columns);
    TableSchema schema;
    for (const int c : columns) schema.push_back(schema_[static_cast<size_t>(c)]);
    if (count == 0) return MemoryTable::empty(schema);
    Loading loading(*state_, first, count);
    for (const int c : columns) loading.add(c);
    loading.run();
    std::vector<std::string> names;
    std::vector<Value> values;
    for (size_t c = 0; c < columns.size(); ++c) {
        names.push_back(schema[c].name);
        values.push_back(loading.finished(c, columns[c]));
    }
    return makeRef<MemoryTable>(std::move(names), std::move(values));
}

}  // namespace pelorus
