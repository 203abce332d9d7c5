// A library for tests/clients/arrow_interface_test.py: what another library of the process hands over by Arrow's C
// stream interface is read into a table, and exported again.
#include <numeric>
#include <string>

#include "common/error.h"
#include "runtime/arrow/c_export.h"
#include "runtime/arrow/c_import.h"

using namespace pelorus;

// Takes `in`, and makes `out` of its rows. Returns null, or why it was refused: valid until the next call.
extern "C" __attribute__((visibility("default"))) const char* passThrough(arrow::CStream* in, arrow::CStream* out) {
    static std::string why;
    try {
        arrow::ImportedStream imported(*in);
        std::vector<int> columns(imported.columns().schema().size());
        std::iota(columns.begin(), columns.end(), 0);
        arrow::exportStream(imported.readAll(columns), *out);
        return nullptr;
    } catch (const std::exception& error) {
        why = error.what();
        return why.c_str();
    }
}
