// Parquet files of a test's own folder. Tests that need Arrow C++ begin with requireParquet.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "common/io/user_files.h"
#include "runtime/function/context.h"
#include "runtime/function/principal.h"
#include "runtime/parquet/parquet_table.h"
#include "runtime/parquet/parquet_writer.h"
#include "tests/support/mixed_table.h"
#include "tests/support/temporary_folder.h"

namespace pelorus::testing {

// Returns whether the library is there. Continuous integration has it: `make setup` fetches Arrow C++.
inline bool hasParquet() {
    try {
        parquet_file::library();
        return true;
    } catch (const UserError& absent) {
        WARN(absent.what());
        return false;
    }
}

class ParquetFixture {
public:
    ParquetFixture() : request(Principal::owner()), context(services, request) {}

    std::string path(const std::string& name) const { return folder / name; }
    void write(const std::string& name, const Ref<MemoryTable>& rows, const ParquetWriter::Options& options = {}) {
        ParquetWriter writer(UserFiles::machine(), path(name), rows->columns(), options);
        writer.append(rows);
        writer.finish();
    }
    Ref<ParquetTable> open(const std::string& name) { return ParquetTable::open(context, path(name)); }
    Ref<MemoryTable> load(const std::string& name) {
        const Ref<ParquetTable> table = open(name);
        std::vector<int> columns(static_cast<size_t>(table->columnCount()));
        std::iota(columns.begin(), columns.end(), 0);
        return table->load(columns, 0, table->rowGroupCount(), context);
    }

    TemporaryFolder folder;
    Services services;
    Request request;
    Context context;
};

inline Ref<MemoryTable> numbers(int64_t rows) {
    Ref<Vector> k = Vector::make(Type::Long, rows);
    for (int64_t i = 0; i < rows; ++i) k->mutableData<int64_t>()[i] = i;
    auto table = makeRef<MemoryTable>();
    table->setColumn("k", Value::of(std::move(k)));
    table->setColumn("s", mixedColumn(Type::Symbol, 0, rows));
    return table;
}

}  // namespace pelorus::testing
