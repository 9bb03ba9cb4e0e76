// A peer of gpu_bfs in bench_sql, if Boost's headers exist: the rows of the table become
// a graph,
// and breadth_first_search computes depths. Ids are dense enough to be vertex numbers;
// the source
// is 1. It returns no rows.
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

extern "C" sqlite3_int64 boost_bfs(sqlite3 *db);
extern "C" sqlite3_int64 boost_packed_bfs(sqlite3 *db);

namespace {

template <typename take> void step(sqlite3 *db, take each) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, "SELECT src, dst FROM roads NOT INDEXED", -1, &statement,
                           nullptr) != SQLITE_OK)
        std::abort();
    while (sqlite3_step(statement) == SQLITE_ROW)
        each(static_cast<unsigned>(sqlite3_column_int(statement, 0)),
             static_cast<unsigned>(sqlite3_column_int(statement, 1)));
    sqlite3_finalize(statement);
}

template <typename graph> sqlite3_int64 search(const graph &g) {
    std::vector<unsigned> depth(num_vertices(g), ~0u);
    depth[1] = 0;
    boost::breadth_first_search(
        g, 1,
        boost::visitor(boost::make_bfs_visitor(
            boost::record_distances(depth.data(), boost::on_tree_edge()))));
    return static_cast<sqlite3_int64>(depth.size()) -
           std::count(depth.begin(), depth.end(), ~0u);
}

} // namespace

// Inserts the arcs into an adjacency_list, as in Boost's own examples.
extern "C" sqlite3_int64 boost_bfs(sqlite3 *db) {
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> g;
    step(db, [&](unsigned u, unsigned v) { add_edge(u, v, g); });
    return search(g);
}

// Collects the arcs, and makes a compressed_sparse_row_graph of them.
extern "C" sqlite3_int64 boost_packed_bfs(sqlite3 *db) {
    std::vector<std::pair<unsigned, unsigned>> arcs;
    unsigned n = 0;
    step(db, [&](unsigned u, unsigned v) {
        arcs.emplace_back(u, v);
        n = std::max({n, u + 1, v + 1});
    });
    return search(boost::compressed_sparse_row_graph<boost::directedS>(
        boost::edges_are_unsorted_multi_pass, arcs.begin(), arcs.end(), n));
}
