// Queries cut by partition, as values: returned by sqlDS and taken by mr. A data source names its data and their
// location; nothing is read before it is used.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/function/portable.h"
#include "runtime/table/table.h"

namespace pelorus {

class DataSource final : public Portable, public Described {
public:
    std::string_view portableKind() const override { return "datasource"; }
    Value save() const override;
    // Returns the form that the console shows.
    std::string describe() const override;

    // Reads the rows, or computes the source's value, then applies the transformations.
    Value load(Context& context) const;

    Ref<Query> query;      // null for a chunk of a text file, or a value
    Value names;           // the values of the query's free names
    Ref<Table> inMemory;   // a partitioned table in memory, which is in this process only
    std::string database;  // of a partitioned table on disk
    std::string table;
    uint64_t snapshot = 0;
    // Pins the versions that the source and its siblings show, as long as it lives in this process.
    std::shared_ptr<TableSnapshot> held;
    size_t position = 0;    // of the partition in the snapshot `held`
    std::string partition;  // path, as in "/TAQ/20070801/A_D"
    // For `describe`, as long as the source lives in this process: the name by which the query calls the table, and
    // whether the table has partitions to name.
    std::string shownTable;
    bool showsPartition = true;
    std::string node;  // alias of the node that holds it; empty for this process
    Value value;       // a source that is no query: the value itself
    // A piece of a file: bytes [begin, end) of a text file, parsed with these options, or row groups of Parquet files.
    // On the network: append, never renumber.
    enum class FileKind : uint8_t { Text = 0, Parquet = 1 };
    FileKind kindOfFile = FileKind::Text;
    std::string file;
    int64_t begin = 0, end = 0;
    Value textOptions;
    std::vector<Ref<Function>> transformations;

    // cacheDS!: the rows stay in memory after the first load.
    bool cached = false;
    mutable Value kept;
    mutable Mutex mutex;  // guards kept, and changes of cached
};

// sqlDS: one source per partition after pruning.
std::vector<Ref<DataSource>> cutByPartition(const Query& query, Context& context, bool force);

}  // namespace pelorus
