// Builder of the messages of Arrow's IPC format: tables of FlatBuffers, as far as that format uses them.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pelorus::arrow {

// A table of numbered fields. It is built in any order, and then written with the tables below it.
class FlatBuilder {
public:
    FlatBuilder();
    ~FlatBuilder();
    FlatBuilder(FlatBuilder&&) noexcept;
    FlatBuilder& operator=(FlatBuilder&&) noexcept;
    FlatBuilder(const FlatBuilder&);
    FlatBuilder& operator=(const FlatBuilder&);

    template <class T>
    void add(int field, T number) {
        Field& added = fieldAt(field);
        added.bytes.assign(reinterpret_cast<const char*>(&number), sizeof number);
        added.alignment = sizeof number;
    }
    void addText(int field, std::string_view text);
    void addTable(int field, FlatBuilder table);
    void addTables(int field, std::vector<FlatBuilder> tables);
    // Adds a vector of structures of 8-byte numbers, which are given as their bytes.
    void addStructs(int field, std::string bytes, size_t count);

    // Returns the bytes of a message whose root is this table.
    std::string finish() const;

private:
    enum class Kind : uint8_t { Absent, Number, Text, Table, Tables, Structs };
    struct Field {
        Kind kind = Kind::Number;
        std::string bytes;
        size_t alignment = 4;
        size_t count = 0;
        std::vector<FlatBuilder> tables;
    };
    Field& fieldAt(int field);
    size_t writeTo(std::string& out) const;
    static size_t writeField(const Field& field, std::string& out);

    std::vector<std::pair<int, Field>> fields_;
};

}  // namespace pelorus::arrow
