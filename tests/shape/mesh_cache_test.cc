// Meshed bodies on disk:
//   - what was stored comes back, bit for bit, under its own key alone
//   - every input changes the key: a vertex, the order of corners, an option, the treatment
//   - a file cut short, with a flipped bit, or of another key is removed and not believed
//   - the files that were used last stay when the folder is full; other people's files stay always
//   - many writers of one file; no folder, a folder that cannot be written
//   - what the environment says
#include "taxel/shape/mesh_cache.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "expect_error.h"

namespace taxel {
using namespace internal;
namespace {

namespace fs = std::filesystem;

class MeshCacheTest : public testing::Test {
 protected:
  MeshCacheTest() {
    std::string text = (fs::temp_directory_path() / "taxel-cache-XXXXXX").string();
    cache_.directory = (fs::path(mkdtemp(text.data())) / "made" / "here").string();
    root_ = text;
  }
  ~MeshCacheTest() override { fs::remove_all(root_); }

  std::vector<fs::path> Files() const {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(cache_.directory)) out.push_back(entry.path());
    return out;
  }

  MeshCache cache_;
  fs::path root_;
};

TriangleMesh Tetrahedron(double x = 0.013) {
  return {{{0, 0, 0}, {x, 0.001, 0}, {0.002, 0.011, -0.001}, {0.003, 0.002, 0.017}},
          {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
}

MeshedInterior Meshed(int vertices) {
  MeshedInterior m;
  for (int i = 0; i < vertices; ++i) {
    m.mesh.vertices.push_back({0.1 * i, 1.0 / (3 + i), -0.7 * i});
    m.depth.push_back(1e-3 / (1 + i));
    m.mesh.tets.push_back({i, (i + 1) % vertices, (i + 2) % vertices, (i + 3) % vertices});
  }
  m.max_depth = 0.0123, m.spacing = 0.004, m.corners = 5, m.corners_kept = 4, m.stopped = true;
  return m;
}

TEST_F(MeshCacheTest, GivesBackWhatWasStored) {
  const MeshKey key = KeyOf(Tetrahedron(), {}, "fitted"), other = KeyOf(Tetrahedron(0.0131), {}, "fitted");
  EXPECT_FALSE(cache_.Load(key));
  const MeshedInterior m = Meshed(9);
  cache_.Store(key, m);
  EXPECT_EQ(Files().size(), 1u);
  const auto back = cache_.Load(key);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->mesh.vertices, m.mesh.vertices);
  EXPECT_EQ(back->mesh.tets, m.mesh.tets);
  EXPECT_EQ(back->depth, m.depth);
  EXPECT_EQ(back->max_depth, m.max_depth);
  EXPECT_EQ(back->spacing, m.spacing);
  EXPECT_EQ(back->corners, 5);
  EXPECT_EQ(back->corners_kept, 4);
  EXPECT_TRUE(back->stopped);
  EXPECT_FALSE(cache_.Load(other));
}

TEST_F(MeshCacheTest, EveryInputIsInTheKey) {
  const MeshKey key = KeyOf(Tetrahedron(), {}, "fitted");
  EXPECT_EQ(key, KeyOf(Tetrahedron(), {}, "fitted"));
  EXPECT_NE(key, KeyOf(Tetrahedron(), {}, "plain"));
  EXPECT_NE(key, KeyOf(Tetrahedron(std::nextafter(0.013, 1)), {}, "fitted"));
  TriangleMesh turned = Tetrahedron();
  turned.triangles[0] = {2, 1, 0};
  EXPECT_NE(key, KeyOf(turned, {}, "fitted"));
  for (double MesherOptions::*option :
       {&MesherOptions::spacing, &MesherOptions::sharp_angle, &MesherOptions::surface_tolerance,
        &MesherOptions::field_tolerance, &MesherOptions::field_floor, &MesherOptions::shortest_edge}) {
    MesherOptions changed;
    changed.*option += 0.01;
    EXPECT_NE(key, KeyOf(Tetrahedron(), changed, "fitted"));
  }
  for (int MesherOptions::*option :
       {&MesherOptions::max_lattice_points, &MesherOptions::max_tets, &MesherOptions::enough_tets}) {
    MesherOptions changed;
    changed.*option += 1;
    EXPECT_NE(key, KeyOf(Tetrahedron(), changed, "fitted"));
  }
}

TEST_F(MeshCacheTest, DoesNotBelieveDamage) {
  const MeshKey key = KeyOf(Tetrahedron(), {}, "fitted");
  cache_.Store(key, Meshed(7));
  const fs::path path = Files().at(0);
  std::string whole;
  {
    std::ifstream file(path, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(file), {});
  }
  const auto loads = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const bool loaded = cache_.Load(key).has_value();
    EXPECT_EQ(fs::exists(path), loaded);  // a bad one is gone
    return loaded;
  };
  EXPECT_TRUE(loads(whole));
  for (std::size_t size = 0; size < whole.size(); size += 13) EXPECT_FALSE(loads(whole.substr(0, size)));
  EXPECT_FALSE(loads(whole + "x"));
  for (std::size_t i = 0; i < whole.size(); i += 5) {
    std::string bad = whole;
    bad[i] ^= 0x10;
    EXPECT_FALSE(loads(bad)) << "byte " << i;
  }
  // The file of another body under this name.
  const MeshKey other = KeyOf(Tetrahedron(0.02), {}, "fitted");
  cache_.Store(other, Meshed(8));
  const fs::path there = Files().at(0);
  cache_.Store(key, Meshed(7));
  fs::copy_file(there, path, fs::copy_options::overwrite_existing);
  EXPECT_FALSE(cache_.Load(key));
}

TEST_F(MeshCacheTest, DropsWhatWasNotUsedForLongest) {
  MeshKey keys[4];
  for (int i = 0; i < 4; ++i) keys[i] = KeyOf(Tetrahedron(0.01 + 0.001 * i), {}, "fitted");
  const auto age = [&](const MeshKey& key, int hours) {
    MeshCache only = cache_;
    for (const fs::path& path : Files()) {
      char name[40];
      std::snprintf(name, sizeof(name), "%016llx", static_cast<unsigned long long>(key[0]));
      if (path.filename().string().rfind(name, 0) == 0)
        fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
    }
  };
  for (int i = 0; i < 3; ++i) {
    cache_.Store(keys[i], Meshed(50));
    age(keys[i], 9 - i);
  }
  std::ofstream(fs::path(cache_.directory) / "mine.txt") << "not ours";
  EXPECT_TRUE(cache_.Load(keys[0]));  // used just now
  cache_.max_bytes = 3 * fs::file_size(Files().at(0)) + 100;
  for (const fs::path& path : Files())
    if (path.extension() == ".mesh") cache_.max_bytes = 3 * fs::file_size(path) + 100;
  cache_.Store(keys[3], Meshed(50));
  EXPECT_TRUE(cache_.Load(keys[0]));
  EXPECT_FALSE(cache_.Load(keys[1]));
  EXPECT_TRUE(cache_.Load(keys[2]));
  EXPECT_TRUE(cache_.Load(keys[3]));
  EXPECT_TRUE(fs::exists(fs::path(cache_.directory) / "mine.txt"));
  // What is larger than the whole folder may be is not kept.
  cache_.max_bytes = 1000;
  const MeshKey large = KeyOf(Tetrahedron(0.05), {}, "fitted");
  cache_.Store(large, Meshed(500));
  EXPECT_FALSE(cache_.Load(large));
}

TEST_F(MeshCacheTest, ManyMayWriteOneFile) {
  const MeshKey key = KeyOf(Tetrahedron(), {}, "fitted");
  const MeshedInterior m = Meshed(2000);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 10; ++k) {
        cache_.Store(key, m);
        const auto back = cache_.Load(key);
        EXPECT_TRUE(back && back->depth == m.depth);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(Files().size(), 1u);
}

TEST_F(MeshCacheTest, WithoutAFolderNothingHappens) {
  const MeshKey key = KeyOf(Tetrahedron(), {}, "fitted");
  MeshCache none;
  none.Store(key, Meshed(5));
  EXPECT_FALSE(none.Load(key));
  std::ofstream(root_ / "file") << "x";
  none.directory = (root_ / "file" / "below").string();  // cannot be made
  none.Store(key, Meshed(5));
  EXPECT_FALSE(none.Load(key));
}

TEST_F(MeshCacheTest, TheEnvironmentSaysWhere) {
  const char* names[] = {"TAXEL_CACHE", "TAXEL_CACHE_MB", "XDG_CACHE_HOME", "HOME"};
  std::vector<std::optional<std::string>> before;
  for (const char* name : names)
    before.push_back(getenv(name) ? std::optional<std::string>(getenv(name)) : std::nullopt);
  for (const char* name : names) unsetenv(name);
  EXPECT_FALSE(MeshCache::FromEnvironment().on());
  setenv("HOME", "/h", 1);
  EXPECT_EQ(MeshCache::FromEnvironment().directory, "/h/.cache/taxel");
  setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(MeshCache::FromEnvironment().directory, "/x/taxel");
  setenv("TAXEL_CACHE", "/t", 1);
  setenv("TAXEL_CACHE_MB", "1.5", 1);
  EXPECT_EQ(MeshCache::FromEnvironment().directory, "/t");
  EXPECT_EQ(MeshCache::FromEnvironment().max_bytes, 1'500'000u);
  setenv("TAXEL_CACHE_MB", "many", 1);
  ExpectError([] { MeshCache::FromEnvironment(); }, {"TAXEL_CACHE_MB", "many", "megabytes"});
  unsetenv("TAXEL_CACHE_MB");
  setenv("TAXEL_CACHE", "off", 1);
  EXPECT_FALSE(MeshCache::FromEnvironment().on());
  for (std::size_t i = 0; i < before.size(); ++i)
    before[i] ? setenv(names[i], before[i]->c_str(), 1) : unsetenv(names[i]);
}

}  // namespace
}  // namespace taxel
