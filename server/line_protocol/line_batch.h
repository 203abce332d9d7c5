// Rows of some lines, by table: parsed and checked, not stored.
//
// The tables are those that LineCatalog knows; a line whose table or fields are new to it adds what has to be made. A
// line is taken whole or not at all. Owned by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/table/table.h"
#include "server/line_protocol/column_builder.h"
#include "server/line_protocol/tag_sets.h"

namespace pelorus {

// What a batch must know of a table.
struct LineTable {
    bool exists = false;
    TableSchema schema;                    // empty when there is no such table
    std::string timeColumn = "timestamp";  // takes the times of rows
    std::vector<std::string> sortColumns;
};

class LineCatalog {
public:
    virtual ~LineCatalog() = default;
    // Throws UserError when the writer may not add rows to the table, or make it.
    virtual LineTable find(const std::string& table) = 0;
    // Throws UserError when the writer may not add columns to the table.
    virtual void requireToAddColumns(const std::string& table) = 0;
};

class LineBatch {
public:
    // Rows without a suffix at their time have it in units of `unitNanos`. The batch refers to `tags`.
    LineBatch(TagSets& tags, LineCatalog& catalog, int64_t unitNanos = 1);

    // Parses the whole lines in `bytes` and returns how many bytes they have; with `isAll` the end of the bytes ends
    // the last line. Throws LineError, with `errorLine` and `errorTable` set: the lines before are taken.
    size_t add(std::string_view bytes, bool isAll);
    int64_t errorLine() const { return line_; }
    std::string errorTable() const;
    // Bytes of the last call of `add` before the line that it refused.
    size_t goodBytes() const { return goodBytes_; }

    class TableRows;
    const std::vector<std::unique_ptr<TableRows>>& tables() const { return tables_; }
    int64_t rowCount() const { return rowCount_; }

    // A line that is longer is an error.
    static constexpr size_t kMaxLineBytes = size_t{1} << 20;

private:
    const char* addLine(const char* at, const char* end);
    const char* addFields(TableRows& table, const char* at, const char* end);
    TableRows& tableOf(TagSet& set);

    TagSets& tags_;
    LineCatalog& catalog_;
    const int64_t unitNanos_;
    const uint64_t number_;
    int64_t line_ = 0;
    int64_t rowCount_ = 0;
    size_t goodBytes_ = 0;
    std::vector<std::unique_ptr<TableRows>> tables_;
    std::vector<int32_t> tableOfShape_;  // -1: not seen yet
    const TagSet* current_ = nullptr;
};

// Rows of one table.
class LineBatch::TableRows {
public:
    struct TagColumn {
        std::string name;
        Type type = Type::Symbol;
        bool isNew = false;
    };

    TableRows(std::string name, LineTable known, LineCatalog& catalog);

    const std::string& name() const { return name_; }
    const LineTable& known() const { return known_; }
    int64_t rowCount() const { return static_cast<int64_t>(times_.size()); }
    const std::vector<int64_t>& times() const { return times_; }

    // Returns the columns that the table lacks, tags first.
    TableSchema newColumns() const;
    // Returns the names of the tags of the first line.
    const std::vector<std::string>& firstTags() const;
    // Returns the rows with the columns of `schema`, ordered by the sort columns where that is cheap. REQUIRES: the
    // schema has the columns of the batch, with their types.
    Ref<MemoryTable> build(const TableSchema& schema, const std::vector<std::string>& sortColumns) const;
    // Whether a schema has the columns that rows of the batch were checked against, and those that were new.
    bool fits(const TableSchema& schema) const;

private:
    friend class LineBatch;
    struct Field {
        ColumnBuilder column;
        bool isPlain;        // its name needs no escapes
        int32_t shape = -1;  // field of the lengths of its arrays of several dimensions
    };

    void useShape(const TagShape& shape);
    void useSet(TagSet& set, int32_t table, uint64_t batch);
    size_t addField(std::string name, const LineValue& first);
    void setShape(Field& field, int64_t row, const LineValue& value);
    Field* predictedField(size_t position, const char* at, const char* end);
    Field& readField(size_t position, const char*& at, const char* end);
    void addTime(int64_t nanos);
    void truncate(int64_t rows);
    std::vector<int32_t> order(const std::vector<std::string>& sortColumns) const;
    std::vector<int32_t> rankSets(const std::vector<size_t>& tagsInOrder) const;
    std::vector<int32_t> codesOf(size_t tagColumn) const;
    Value buildTag(size_t tagColumn, Type type, const std::vector<int32_t>& order) const;
    Value buildTimes(Type type, const std::vector<int32_t>& order) const;
    void requireColumnCount() const;

    std::string name_;
    LineTable known_;
    LineCatalog& catalog_;
    bool isInMillis_ = false;  // the column of the times
    std::vector<TagColumn> tagColumns_;
    std::map<std::string, size_t, std::less<>> tagByName_, fieldByName_;
    std::vector<std::unique_ptr<Field>> fields_;
    std::vector<int32_t> fieldOrder_;                        // of the last line
    std::map<const TagShape*, std::vector<size_t>> shapes_;  // column of each tag
    std::vector<TagSet*> sets_;                              // used by the rows
    std::vector<int32_t> positions_;                         // of each row, in sets_
    std::vector<int64_t> times_;
};

}  // namespace pelorus
