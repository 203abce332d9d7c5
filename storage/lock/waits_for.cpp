#include "storage/lock/waits_for.h"

#include <unordered_set>
#include <utility>

namespace pelorus {

std::vector<uint64_t> circleThrough(uint64_t start,
                                    const std::function<std::vector<uint64_t>(uint64_t node)>& waitsFor) {
    struct Step {
        uint64_t node;
        std::vector<uint64_t> next;  // not yet followed
    };
    std::unordered_set<uint64_t> seen = {start};
    std::vector<Step> path;
    path.push_back({start, waitsFor(start)});
    while (!path.empty()) {
        Step& last = path.back();
        if (last.next.empty()) {
            path.pop_back();
            continue;
        }
        const uint64_t node = last.next.back();
        last.next.pop_back();
        if (node == start) {
            std::vector<uint64_t> circle;
            for (const Step& step : path) circle.push_back(step.node);
            return circle;
        }
        if (seen.insert(node).second) path.push_back({node, waitsFor(node)});
    }
    return {};
}

}  // namespace pelorus
