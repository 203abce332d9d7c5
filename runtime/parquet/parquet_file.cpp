#include "runtime/parquet/parquet_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "common/error.h"
#include "runtime/memory/budget.h"
#include "runtime/parquet/column_bounds.h"
#include "runtime/parquet/column_type.h"
#include "runtime/value/cast.h"

namespace pelorus::parquet_file {

namespace {

// Types that the file's own metadata names, one for each column; none when it names none, or not so many.
std::vector<TypeSpec> restoredTypes(const FileReader& reader) {
    std::vector<TypeSpec> types;
    const std::optional<std::string> text = reader.metadata(kTypesKey);
    if (!text) return types;
    for (size_t begin = 0; begin <= text->size();) {
        const size_t end = std::min(text->find(',', begin), text->size());
        TypeSpec spec;
        if (!typeSpecByName(std::string_view(*text).substr(begin, end - begin), spec)) return {};
        types.push_back(spec);
        begin = end + 1;
    }
    if (types.size() != reader.columns().size()) types.clear();
    return types;
}

// Returns a name that no other column has: tables have each name once.
std::string uniqueName(const std::string& name, std::unordered_set<std::string>& taken) {
    std::string unique = name;
    for (int number = 1; !taken.insert(unique).second; ++number) unique = fmt::format("{}_{}", name, number);
    return unique;
}

}  // namespace

template <class F>
auto ParquetFile::named(int rowGroup, int column, F&& f) const -> decltype(f()) {
    try {
        return f();
    } catch (const memory::OutOfMemory&) {
        throw;
    } catch (const SystemError& e) {
        std::string where = path_;
        if (rowGroup >= 0) where += fmt::format(", row group {}", rowGroup);
        if (column >= 0) where += fmt::format(", column {}", schema_[static_cast<size_t>(column)].name);
        std::string_view why = e.what();
        while (why.ends_with('.')) why.remove_suffix(1);
        throw SystemError(fmt::format("Cannot read {}: {}.", where, why), e.hint(), e.retryable());
    }
}

void ParquetFile::describe(size_t i, TypeSpec restored) {
    const Column& column = reader_->columns()[i];
    FileColumn described;
    TypeSpec type = typeOf(column, described.obstacle);
    if (!described.obstacle.empty()) {
        schema_[i].type = Type::String;
        described.plan.column = column;
        columns_.push_back(std::move(described));
        return;
    }
    const Type array = type.type;
    if (restored.type != Type::Void && canRestore(type, restored)) type.type = restored.type;
    schema_[i].type = type.type;
    schema_[i].scale = type.scale;
    described.given = elementTypeOf(type.type);
    // A converted type is read as what the file says; strings and 16 bytes are read as what they become.
    const bool isConverted = isTemporal(described.given) && type.type != array;
    described.plan = readPlan(column, {elementTypeOf(isConverted ? array : type.type), type.scale});
    columns_.push_back(std::move(described));
}

ParquetFile::ParquetFile(OpenFiles& files, const std::string& path) : ParquetFile(files.file(path)) {}

ParquetFile::ParquetFile(std::shared_ptr<File> file) : path_(file->path()) {
    Library& reading = library();
    named(-1, -1, [&] {
        reader_ = reading.read(std::move(file));
        for (int i = 0; i < reader_->rowGroupCount(); ++i) {
            rows_.push_back(reader_->rowCount(i));
            if (rows_.back() < 0) throw SystemError("a row group has a negative number of rows");
        }
    });
    hasNoNan_ = reader_->metadata(kNoNanKey) == "missing";
    const std::vector<TypeSpec> restored = restoredTypes(*reader_);
    std::unordered_set<std::string> names;
    for (const Column& column : reader_->columns()) schema_.push_back({uniqueName(column.name, names)});
    for (size_t i = 0; i < schema_.size(); ++i) describe(i, restored.empty() ? TypeSpec{} : restored[i]);
}

int ParquetFile::findColumn(std::string_view name) const {
    for (size_t i = 0; i < schema_.size(); ++i) {
        if (schema_[i].name == name) return static_cast<int>(i);
    }
    return -1;
}

void ParquetFile::requireReadable(int column) const {
    const FileColumn& known = columns_[static_cast<size_t>(column)];
    if (known.obstacle.empty()) return;
    throw UserError(fmt::format("The column {} of {} is {}, which no column of a table can hold.",
                                schema_[static_cast<size_t>(column)].name, path_, known.obstacle),
                    "Name the columns to read and leave it out.");
}

BlockBounds ParquetFile::bounds(int rowGroup, int column) const {
    const FileColumn& known = columns_[static_cast<size_t>(column)];
    if (!known.obstacle.empty()) return {};
    const Statistics told =
        named(rowGroup, column, [&] { return reader_->statistics(rowGroup, known.plan.column.leaf); });
    return boundsFrom(known.plan, known.given, told, rowCount(rowGroup), hasNoNan_);
}

std::vector<BlockBounds> ParquetFile::boundsOfBlocks(int rowGroup, int column, int64_t blockRows) const {
    const FileColumn& known = columns_[static_cast<size_t>(column)];
    if (!known.obstacle.empty() || known.plan.column.maxRepetition > 0) return {};
    const std::vector<Page> pages =
        named(rowGroup, column, [&] { return reader_->pages(rowGroup, known.plan.column.leaf); });
    const auto boundsOf = [&](const Statistics& told, int64_t rows) {
        return boundsFrom(known.plan, known.given, told, rows, hasNoNan_);
    };
    return blocksOfPages(pages, rowCount(rowGroup), blockRows, boundsOf);
}

bool ParquetFile::mayHaveAny(int rowGroup, int column, const std::vector<Value>& values) const {
    const FileColumn& known = columns_[static_cast<size_t>(column)];
    if (!known.obstacle.empty() || known.plan.column.maxRepetition > 0) return true;
    std::vector<std::string> stored;
    for (const Value& value : values) {
        std::optional<std::string> bytes = storedBytes(known.plan, known.given, value);
        if (!bytes) return true;
        stored.push_back(std::move(*bytes));
    }
    const auto filter = named(rowGroup, column, [&] { return reader_->valueFilter(rowGroup, known.plan.column.leaf); });
    return !filter ||
           std::any_of(stored.begin(), stored.end(), [&](const std::string& bytes) { return filter->mayHave(bytes); });
}

std::unique_ptr<ColumnReader> ParquetFile::openColumn(int rowGroup, int column) const {
    requireReadable(column);
    const ReadPlan& plan = columns_[static_cast<size_t>(column)].plan;
    return named(rowGroup, column,
                 [&] { return std::make_unique<ColumnReader>(plan, reader_->open(rowGroup, plan.column.leaf)); });
}

void ParquetFile::read(ColumnReader& reader, int rowGroup, int column, Vector& target, int64_t begin,
                       int64_t rows) const {
    named(rowGroup, column, [&] { reader.read(target, begin, rows); });
}

void ParquetFile::skip(ColumnReader& reader, int rowGroup, int column, int64_t rows) const {
    named(rowGroup, column, [&] { reader.skip(rows); });
}

Value ParquetFile::readLists(int rowGroup, int column) const {
    const std::unique_ptr<ColumnReader> reader = openColumn(rowGroup, column);
    const FileColumn& known = columns_[static_cast<size_t>(column)];
    return named(rowGroup, column, [&] {
        Ref<ArrayVector> lists = reader->readLists(rowCount(rowGroup));
        if (known.given != lists->elementType()) lists = lists->withValues(cast(*lists->values(), known.given));
        return Value::of(std::move(lists));
    });
}

Ref<Vector> ParquetFile::makeVector(int column, int64_t rows) const {
    const ReadPlan& plan = columns_[static_cast<size_t>(column)].plan;
    Ref<Vector> vector = Vector::make(plan.type.type, rows);
    vector->setScale(plan.type.scale);
    return vector;
}

Value ParquetFile::finished(int column, Ref<Vector> filled) const {
    const Type given = columns_[static_cast<size_t>(column)].given;
    return Value::of(filled->type() == given ? std::move(filled) : cast(*filled, given));
}

}  // namespace pelorus::parquet_file
