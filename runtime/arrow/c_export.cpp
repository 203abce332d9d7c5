#include "runtime/arrow/c_export.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "common/check.h"
#include "runtime/arrow/arrow_encoder.h"
#include "runtime/arrow/c_schema.h"
#include "runtime/arrow/symbol_places.h"
#include "runtime/memory/budget.h"

namespace pelorus::arrow {

namespace {

// Buffers without bytes point here: consumers look at no byte, but some refuse null.
alignas(64) constexpr char kNoBytes[64] = {};

using Encoded = std::shared_ptr<const BatchEncoder>;

// What an exported array points to.
struct ExportedArray {
    Encoded encoded;
    std::vector<const void*> buffers;
    std::vector<std::unique_ptr<CArray>> children;
    std::vector<CArray*> places;
    std::unique_ptr<CArray> dictionary;
};

// A consumer may have taken children out, and released them by themselves.
void releaseArray(CArray* array) {
    const std::unique_ptr<ExportedArray> held(static_cast<ExportedArray*>(array->privateData));
    for (CArray* child : held->places) {
        if (child->release) child->release(child);
    }
    if (held->dictionary && held->dictionary->release) held->dictionary->release(held->dictionary.get());
    array->release = nullptr;
}

void fillArray(std::unique_ptr<ExportedArray> held, BatchEncoder::Node node, CArray& out) {
    for (const auto& child : held->children) held->places.push_back(child.get());
    ExportedArray* const owned = held.release();
    out = {.length = node.length,
           .nullCount = node.nulls,
           .offset = 0,
           .bufferCount = static_cast<int64_t>(owned->buffers.size()),
           .childCount = static_cast<int64_t>(owned->places.size()),
           .buffers = owned->buffers.data(),
           .children = owned->places.data(),
           .dictionary = owned->dictionary.get(),
           .release = releaseArray,
           .privateData = owned};
}

// Makes arrays of encoded columns, in the order in which they were encoded.
class ArrayBuilder {
public:
    ArrayBuilder(Encoded encoded, const std::vector<Encoded>& dictionaries)
        : encoded_(std::move(encoded)), dictionaries_(dictionaries) {}

    void build(const ArrowField& field, CArray& out) {
        auto held = std::make_unique<ExportedArray>();
        held->encoded = encoded_;
        const BatchEncoder::Node node = encoded_->nodes()[node_++];
        const std::string_view validity = encoded_->buffers()[buffer_++].bytes();
        held->buffers.push_back(validity.empty() ? nullptr : validity.data());
        if (field.dictionary) {
            addBuffers(*held, 1);
            buildDictionary(field, *held);
            return fillArray(std::move(held), node, out);
        }
        const bool isText = field.type == ArrowType::Utf8 || field.type == ArrowType::LargeBinary;
        addBuffers(*held, isText ? 2 : 1);
        for (const ArrowField& child : field.children) {
            held->children.push_back(std::make_unique<CArray>());
            build(child, *held->children.back());
        }
        fillArray(std::move(held), node, out);
    }

private:
    void addBuffers(ExportedArray& held, int count) {
        for (int i = 0; i < count; ++i) {
            const std::string_view bytes = encoded_->buffers()[buffer_++].bytes();
            held.buffers.push_back(bytes.empty() ? kNoBytes : bytes.data());
        }
    }

    void buildDictionary(const ArrowField& field, ExportedArray& held) {
        ArrowField values = field;
        values.dictionary.reset();
        held.dictionary = std::make_unique<CArray>();
        const auto id = static_cast<size_t>(field.dictionary->id);
        ArrayBuilder(dictionaries_[id], dictionaries_).build(values, *held.dictionary);
    }

    const Encoded encoded_;
    const std::vector<Encoded>& dictionaries_;
    size_t node_ = 0, buffer_ = 0;
};

// The rows of a stream that is being read. Its reader owns it.
class ExportedStream {
public:
    ExportedStream(const Ref<MemoryTable>& rows, int64_t batchRows)
        : batchRows_(batchRows),
          rows_(rows->slice(0, rows->rowCount())),
          places_(rows->columns().size()),
          dictionaries_(places_.size()) {
        for (size_t c = 0; c < places_.size(); ++c) {
            const ColumnSchema& column = rows->columns()[c];
            schema_.fields.push_back(fieldOf(column, static_cast<int64_t>(c), SymbolForm::Dictionary));
            if (hasPlaces(schema_.fields.back())) batchRows_ = std::min(batchRows_, kExportedRows);
            if (!schema_.fields.back().dictionary) continue;
            auto strings = std::make_shared<BatchEncoder>();
            strings->addStrings(places_[c].add(rows_->column(static_cast<int>(c)).vector()));
            dictionaries_[c] = std::move(strings);
        }
    }

    const ArrowSchema& schema() const { return schema_; }

    // Makes an empty array at the end.
    void next(CArray& out) {
        out = {};
        const int64_t count = std::min(batchRows_, rows_->rowCount() - begin_);
        if (count <= 0) return;
        const auto batch = std::make_shared<BatchEncoder>();
        for (size_t c = 0; c < schema_.fields.size(); ++c)
            batch->add(schema_.fields[c], rows_->column(static_cast<int>(c)), begin_, count, places_[c].places());
        begin_ += count;
        auto held = std::make_unique<ExportedArray>();
        held->buffers.push_back(nullptr);
        ArrayBuilder builder(batch, dictionaries_);
        for (const ArrowField& field : schema_.fields) {
            held->children.push_back(std::make_unique<CArray>());
            builder.build(field, *held->children.back());
        }
        fillArray(std::move(held), {count, 0}, out);
    }

    std::string lastError;

private:
    // Returns whether a column's cells are pieces of another buffer.
    static bool hasPlaces(const ArrowField& field) {
        return !field.dictionary && (field.type == ArrowType::Utf8 || field.type == ArrowType::LargeBinary ||
                                     field.type == ArrowType::List || field.type == ArrowType::LargeList);
    }

    int64_t batchRows_;
    const Ref<MemoryTable> rows_;
    ArrowSchema schema_;
    std::vector<SymbolPlaces> places_;
    std::vector<Encoded> dictionaries_;  // of SYMBOL columns, by their numbers
    int64_t begin_ = 0;
};

ExportedStream& streamOf(CStream* stream) {
    return *static_cast<ExportedStream*>(stream->privateData);
}

// Calls a function from C: its errors are numbers there.
template <class F>
int guarded(CStream* stream, F&& f) noexcept {
    try {
        f(streamOf(stream));
        return 0;
    } catch (const std::bad_alloc&) {
        return ENOMEM;
    } catch (const memory::OutOfMemory& error) {
        streamOf(stream).lastError = error.what();
        return ENOMEM;
    } catch (const std::exception& error) {
        streamOf(stream).lastError = error.what();
        return EINVAL;
    }
}

int schemaOfStream(CStream* stream, CSchema* out) {
    return guarded(stream, [&](const ExportedStream& exported) { exportSchema(exported.schema(), *out); });
}

int nextOfStream(CStream* stream, CArray* out) {
    return guarded(stream, [&](ExportedStream& exported) { exported.next(*out); });
}

const char* lastErrorOfStream(CStream* stream) {
    return streamOf(stream).lastError.empty() ? nullptr : streamOf(stream).lastError.c_str();
}

void releaseStream(CStream* stream) {
    delete &streamOf(stream);
    stream->release = nullptr;
}

}  // namespace

void exportStream(const Ref<MemoryTable>& rows, CStream& out, int64_t batchRows) {
    CHECK(batchRows > 0);
    auto exported = std::make_unique<ExportedStream>(rows, batchRows);
    out = {.schema = schemaOfStream,
           .next = nextOfStream,
           .lastError = lastErrorOfStream,
           .release = releaseStream,
           .privateData = exported.release()};
}

}  // namespace pelorus::arrow
