// Reader of nested values behind decodeValue, which believes no size and no type that arrives. Scalars and containers
// are read in value_decoder.cpp, vectors in vector_decoder.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/serialize/value_codec.h"
#include "runtime/value/vector.h"

namespace pelorus {

[[noreturn]] void malformed(const std::string& what);
// Returns the type of an id. Throws UserError for an id that no type has.
Type checkedType(uint8_t id);

class ValueDecoder {
public:
    ValueDecoder(ByteSource& source, Peer peer, DecodeBudget& budget) : source_(source), peer_(peer), budget_(budget) {}

    // Reads the next value of any kind.
    Value value();

private:
    struct SymbolBase {
        std::vector<std::string> strings;
        std::vector<int32_t> codes;  // -1: not interned yet
    };
    using SymbolBases = std::map<int32_t, SymbolBase>;

    template <class T>
    T take() {
        T x;
        read(&x, sizeof x);
        return x;
    }
    void read(void* target, size_t sizeBytes) {
        source_.read(target, sizeBytes);
        budget_.received(static_cast<int64_t>(sizeBytes));
    }
    void readString(std::string& s) {
        source_.readUntilZero(s, budget_.stringLimit());
        budget_.received(static_cast<int64_t>(s.size()) + 1);
        budget_.charge(static_cast<int64_t>(s.size()));
    }
    std::string string() {
        std::string s;
        readString(s);
        budget_.charge(static_cast<int64_t>(sizeof(std::string)));
        return s;
    }
    int64_t count(const char* what) {
        const auto n = take<int32_t>();
        if (n < 0) malformed(std::string("a negative number of ") + what);
        return n;
    }

    // Throws UserError for a value that a login does not need.
    static void requirePlain(uint8_t typeId, uint8_t formId);
    Value valueOf(uint8_t typeId, uint8_t formId);
    Value scalar(Type type);
    Value functionValue();
    Value codeValue();
    Value vectorOf(uint8_t typeId);
    Value plainVector(Type type, int64_t elements, uint8_t scale);
    Ref<Vector> fixedWidth(Type type, int64_t elements);
    Ref<Vector> strings(Type type, int64_t elements);
    std::string blobString();
    Value symbolsWithBase(int64_t elements);
    Value arrayVector(Type type, int64_t rows, uint8_t scale);
    Value compressedVector();
    uint8_t scaleOf(Type type);
    Value matrix(Type type);
    Value set(Type type);
    Value dictionary(Type valueType);
    Value table();
    Value tensor(Type type);
    Value iotAny(const std::vector<Value>& parts);
    std::string takeBytes(int64_t sizeBytes);

    ByteSource& source_;
    const Peer peer_;
    DecodeBudget& budget_;
    int depth_ = 0;
    SymbolBases bases_;
};

}  // namespace pelorus
