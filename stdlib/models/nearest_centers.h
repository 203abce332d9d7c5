// The nearest of some centers for each of many rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pelorus {

// Finds nearest centers. All are as long as each other; one or more.
class NearestCenters {
public:
    explicit NearestCenters(const std::vector<std::vector<double>>& centers);

    // Puts the place of the nearest center of each of the rows [begin, end) into nearest[0 …], the first of equals.
    // `columns` has the rows' cells, column by column, as many as a center has numbers. O(rows · centers · width); the
    // same bits on every processor. Asks for cancellation.
    void find(const std::vector<std::vector<double>>& columns, size_t begin, size_t end, int32_t* nearest) const;

private:
    size_t count_, width_;
    // |x - c|² is |c|² - 2 x'c but for |x|², which is the same for all centers. Both are taken from the mean of the
    // centers, so that large numbers cost no digits.
    std::vector<double> origin_;
    std::vector<double> squares_;  // of each center, and infinity for those that fill up the last four
    std::vector<double> fours_;    // of each four centers, number by number, the four cells
};

}  // namespace pelorus
