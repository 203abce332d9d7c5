// Values to bytes and back: the object format of the wire protocol (docs/formats/wire.md), little-endian. One codec
// serves clients, nodes, and files of values; `Peer`, the kind of the other side, decides what may be read.
//
// Values that a client may not see whole travel as strings: functions by kind and name, handles, data sources and code
// as they are displayed. Between nodes (`Peer::Node`) Portable objects travel whole; see FunctionEncoding. CODE travels
// as source text and is parsed again by the hook.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/value/value.h"

namespace pelorus {

class GatheredBytes;

// The trust in the other side.
enum class Peer : uint8_t {
    Login,   // an unauthenticated client: a few plain scalars are read
    Client,  // a client, a file, another server: reads data, functions by name, and code as source text
    Node,    // an authenticated node: reads Portable objects, too, whose loaders check the bytes
};

// The byte that follows the flag of a FUNCTIONDEF. On the network: append, never renumber.
enum class FunctionEncoding : uint8_t {
    Builtin = 0,
    Operator = 2,
    UserDefined = 3,
    Partial = 4,
    // Ours, between nodes only:
    Portable = 200,          // NUL string portable kind, then the saved value: a function
    PortableSystem = 201,    // type id, then as above: a data source, a handle
    PartitionedTable = 202,  // NUL strings: database path, table name, the user who made the handle
};

// Appends the encoded value. Throws UserError for a value that the peer must not receive; `bytes` is then unchanged.
// The second form refers to the elements of long vectors, which nobody may change before the bytes are written.
void encodeValue(const Value& value, Peer peer, std::string& bytes);
void encodeValue(const Value& value, Peer peer, GatheredBytes& bytes);

// A source of the decoder's bytes. Throws SystemError at the end of the stream.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    virtual void read(void* target, size_t sizeBytes) = 0;
    // Replaces `string` by the bytes before the next zero byte, and consumes that byte too. Throws UserError when there
    // is none within `limitBytes`.
    virtual void readUntilZero(std::string& string, size_t limitBytes) = 0;
};

// A limit on the memory that the values of one request, answer or file may take. Charged before anything is reserved,
// so that a claimed size costs nothing.
//
// Besides the limit, the charge stays in proportion to the bytes that arrived: a bound for forms that arrive without
// bytes (VOID elements) and for compressed ones.
class DecodeBudget {
public:
    static constexpr int64_t kFreeBytes = int64_t{16} << 20;
    static constexpr int64_t kChargePerByte = 512;

    // Makes a budget with the limit of the trust: 64 KiB and 16 values before login, `maxRequestBytes` after it, none
    // for nodes.
    explicit DecodeBudget(Peer peer);

    // Throws UserError when the charge would go beyond the limit.
    void charge(int64_t bytes);
    void charge(int64_t elements, int64_t bytesOfEach);
    void received(int64_t bytes) { received_ += bytes; }
    void countValue();
    // Returns how many bytes of one string may be read.
    size_t stringLimit() const;

private:
    int64_t limit_;
    int64_t valuesLeft_;
    int64_t charged_ = 0;
    int64_t received_ = 0;
};

// Sets the limit for clients, files and other servers; by default half of the process's memory limit.
void setMaxRequestBytes(int64_t bytes);
int64_t maxRequestBytes();
// The limits of an unauthenticated client.
constexpr int64_t kLoginBytes = 64 << 10;
constexpr int kLoginValues = 16;

class StringSource final : public ByteSource {
public:
    explicit StringSource(std::string_view bytes) : bytes_(bytes) {}
    void read(void* target, size_t sizeBytes) override;
    void readUntilZero(std::string& string, size_t limitBytes) override;
    size_t position() const { return position_; }
    bool atEnd() const { return position_ == bytes_.size(); }

private:
    std::string_view bytes_;
    size_t position_ = 0;
};

// Decodes a value. Throws UserError on malformed bytes and beyond the budget; never reads past the encoded size.
// Several values of one request share a budget.
Value decodeValue(ByteSource& source, Peer peer, DecodeBudget& budget);
Value decodeValue(ByteSource& source, Peer peer);

// Hook that parses source text to CODE; set once by the interpreter.
using CodeParser = Value (*)(std::string_view string);
void setCodeParser(CodeParser parser);

// Hook that finds the partitioned table that another node named; set once at start.
using TableFinder = Value (*)(std::string_view databasePath, std::string_view tableName, std::string_view maker);
void setTableFinder(TableFinder finder);

}  // namespace pelorus
