// What bench_sql measures gpu_bfs against where Boost's headers are: the table stepped into a
// compressed_sparse_row_graph, and breadth_first_search with depths. It hands out no rows.
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

extern "C" sqlite3_int64 boost_bfs(sqlite3 *db);

// Ids are dense enough to be vertex numbers; the source is 1.
extern "C" sqlite3_int64 boost_bfs(sqlite3 *db) {
    using graph = boost::compressed_sparse_row_graph<boost::directedS>;
    sqlite3_stmt *statement;
    std::vector<std::pair<unsigned, unsigned>> arcs;
    unsigned n = 0;
    if (sqlite3_prepare_v2(db, "SELECT src, dst FROM roads NOT INDEXED", -1, &statement,
                           nullptr) != SQLITE_OK)
        std::abort();
    while (sqlite3_step(statement) == SQLITE_ROW) {
        unsigned u = sqlite3_column_int(statement, 0),
                 v = sqlite3_column_int(statement, 1);
        arcs.emplace_back(u, v);
        n = std::max({n, u + 1, v + 1});
    }
    sqlite3_finalize(statement);
    graph g(boost::edges_are_unsorted_multi_pass, arcs.begin(), arcs.end(), n);
    std::vector<unsigned> depth(n, ~0u);
    depth[1] = 0;
    boost::breadth_first_search(
        g, 1,
        boost::visitor(boost::make_bfs_visitor(
            boost::record_distances(depth.data(), boost::on_tree_edge()))));
    return n - std::count(depth.begin(), depth.end(), ~0u);
}
