#include "distributed/metadata/cluster_keys.h"

#include <sstream>

namespace pelorus {
namespace {

std::vector<std::string> splitNames(const std::string& text) {
    std::vector<std::string> names;
    std::istringstream stream(text);
    for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
    return names;
}

std::string joinNames(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
    return text;
}

}  // namespace

std::string chunkKey(uint64_t table, const std::string& path) {
    return std::string(kChunkPrefix) + std::to_string(table) + '/' + path;
}
std::string chunkListKey(uint64_t table) {
    return "chunks/" + std::to_string(table);
}
std::string placeKey(const std::string& database, const std::string& path) {
    return std::string(kPlacePrefix) + database + '\n' + path;
}
std::string decisionKey(const std::string& transaction) {
    return std::string(kDecisionPrefix) + transaction;
}

// "a,b\n0,3": names of nodes hold neither line ends nor commas.
std::string chunkRecord(const std::vector<std::string>& replicas, const std::vector<int>& index) {
    std::string text = joinNames(replicas) + '\n';
    for (size_t i = 0; i < index.size(); ++i) text += (i ? "," : "") + std::to_string(index[i]);
    return text;
}

std::vector<std::string> replicasOfRecord(const std::string& record) {
    return splitNames(record.substr(0, record.find('\n')));
}

PlacedChunk decodeChunk(std::string path, const std::string& record, uint64_t revision) {
    PlacedChunk chunk{std::move(path), {}, replicasOfRecord(record), revision};
    const size_t end = record.find('\n');
    for (const std::string& number : splitNames(end == std::string::npos ? "" : record.substr(end + 1)))
        chunk.index.push_back(std::stoi(number));
    return chunk;
}

// "commit 3 a,b"
std::string TransactionRecord::encode() const {
    return (commit ? "commit " : "abort ") + std::to_string(place) + ' ' + joinNames(participants);
}

std::optional<TransactionRecord> TransactionRecord::decode(std::string transaction, const std::string& value,
                                                           uint64_t revision) {
    std::istringstream stream(value);
    std::string word, names;
    TransactionRecord record{std::move(transaction), false, 0, {}, revision};
    if (!(stream >> word >> record.place >> names) || (word != "commit" && word != "abort")) return std::nullopt;
    record.commit = word == "commit";
    record.participants = splitNames(names);
    return record;
}

std::string incarnationOf(const std::string& name) {
    return name.substr(0, name.rfind('/'));
}

std::string aliasOf(const std::string& incarnation) {
    return incarnation.substr(0, incarnation.rfind('/'));
}

}  // namespace pelorus
