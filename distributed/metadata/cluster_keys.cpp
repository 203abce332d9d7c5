#include "distributed/metadata/cluster_keys.h"

#include <sstream>
#include <string_view>
#include <utility>

#include "storage/log/stamp.h"

namespace pelorus {
namespace {

std::vector<std::string> splitNames(const std::string& string) {
    std::vector<std::string> names;
    std::istringstream stream(string);
    for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
    return names;
}

std::string joinNames(const std::vector<std::string>& names) {
    std::string string;
    for (const std::string& name : names) string += (string.empty() ? "" : ",") + name;
    return string;
}

}  // namespace

std::string placesOf(const std::string& database) {
    return std::string(kPlacePrefix) + database + '\n';
}
std::string placeKey(const std::string& database, const std::string& path) {
    return placesOf(database) + path;
}
uint64_t baseOf(MetaStore& store) {
    const auto base = store.get(kBaseKey);
    return base ? std::stoull(base->value) : stamp::kFirstBase;
}
std::vector<PlacedChunk> placesOfNode(MetaStore& store, const std::string& alias) {
    std::vector<PlacedChunk> places;
    for (const MetaEntry& entry : store.range(kPlacePrefix).entries) {
        std::string path = entry.key.substr(std::string_view(kPlacePrefix).size());
        if (const size_t end = path.find('\n'); end != std::string::npos) path.erase(end, 1);
        PlacedChunk place = decodePlace(std::move(path), entry.value, entry.revision);
        if (place.isReplica(alias)) places.push_back(std::move(place));
    }
    return places;
}
std::string decisionKey(const std::string& transaction) {
    return std::string(kDecisionPrefix) + transaction;
}

// The lines are: "a,b", the replicas; "0,3", the index; and, if there are any, "learner c named", "learner d joining
// a", where d replaces a, "left e,f" and "routes 5:123,6:130". Names of nodes contain neither blanks nor line ends nor
// commas.
std::string encodePlace(const PlacedChunk& place) {
    std::string string = joinNames(place.replicas) + '\n';
    for (size_t i = 0; i < place.index.size(); ++i) string += (i ? "," : "") + std::to_string(place.index[i]);
    for (const Learner& learner : place.learners)
        string += "\nlearner " + learner.alias + (learner.isJoining ? " joining " : " named ") + learner.replaces;
    if (!place.left.empty()) string += "\nleft " + joinNames(place.left);
    std::string routes;
    for (const auto& [table, route] : place.routes)
        routes += (routes.empty() ? "" : ",") + std::to_string(table) + ':' + std::to_string(route);
    return routes.empty() ? string : string + "\nroutes " + routes;
}

PlacedChunk decodePlace(std::string path, const std::string& record, uint64_t revision) {
    PlacedChunk place;
    place.path = std::move(path);
    place.revision = revision;
    std::istringstream lines(record);
    std::string line;
    if (std::getline(lines, line)) place.replicas = splitNames(line);
    if (std::getline(lines, line)) {
        for (const std::string& number : splitNames(line)) place.index.push_back(std::stoi(number));
    }
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string kind, what, state, replaces;
        words >> kind >> what >> state >> replaces;
        if (kind == "learner") place.learners.push_back({what, state == "joining", replaces});
        if (kind == "left") place.left = splitNames(what);
        if (kind != "routes") continue;
        for (const std::string& route : splitNames(what))
            place.routes[std::stoull(route)] = std::stoull(route.substr(route.find(':') + 1));
    }
    return place;
}

// Returns a value such as "commit 3 a,b".
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
