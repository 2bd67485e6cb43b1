#include "taxel/shape/mesh_cache.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <type_traits>
#include <vector>

#include "taxel/math/error.h"

namespace taxel::internal {
namespace {

namespace fs = std::filesystem;

// Raise it whenever the mesher, or what is done to its result, gives other numbers.
constexpr std::uint64_t kVersion = 1;
constexpr char kMagic[8] = {'T', 'A', 'X', 'E', 'L', 'T', 'E', 'T'};
constexpr std::uint64_t kByteOrder = 0x0102030405060708ull;
constexpr const char* kSuffix = ".mesh";
constexpr const char* kUnfinished = ".part";

// Eight bytes a step, for names and for telling damage.
class Hash {
 public:
  explicit Hash(std::uint64_t seed) : h_(seed) {}
  void Add(const void* data, std::size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (; bytes >= 8; bytes -= 8, p += 8) {
      std::uint64_t word;
      std::memcpy(&word, p, 8);
      Mix(word);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, p, bytes);
    Mix(rest ^ static_cast<std::uint64_t>(bytes) << 56);
  }
  std::uint64_t value() const { return h_; }

 private:
  void Mix(std::uint64_t word) {
    h_ = (h_ ^ word) * 0x9e3779b97f4a7c15ull;
    h_ ^= h_ >> 32;
    h_ *= 0xd6e8feb86659fd93ull;
    h_ ^= h_ >> 29;
  }
  std::uint64_t h_;
};

class Writer {
 public:
  template <class T>
  void Put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  template <class T>
  void PutAll(const std::vector<T>& list) {
    static_assert(std::is_trivially_copyable_v<T>);
    Put(static_cast<std::uint64_t>(list.size()));
    bytes.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
  }
  std::string bytes;
};

// Reads nothing beyond the end: what is missing makes `ok` false.
class Reader {
 public:
  Reader(const char* data, std::size_t size) : data_(data), left_(size) {}
  template <class T>
  T Get() {
    T value{};
    if (left_ < sizeof(T)) {
      ok = false;
      return value;
    }
    std::memcpy(&value, data_, sizeof(T));
    data_ += sizeof(T), left_ -= sizeof(T);
    return value;
  }
  template <class T>
  std::vector<T> GetAll() {
    const auto n = Get<std::uint64_t>();
    std::vector<T> list;
    if (!ok || n > left_ / sizeof(T)) {
      ok = false;
      return list;
    }
    list.resize(n);
    std::memcpy(static_cast<void*>(list.data()), data_, n * sizeof(T));
    data_ += n * sizeof(T), left_ -= n * sizeof(T);
    return list;
  }
  const char* here() const { return data_; }
  std::size_t left() const { return left_; }
  bool ok = true;

 private:
  const char* data_;
  std::size_t left_;
};

std::uint64_t Checksum(const char* data, std::size_t size) {
  Hash hash(kVersion);
  hash.Add(data, size);
  return hash.value();
}

std::string Encode(const MeshKey& key, const MeshedInterior& m) {
  Writer body;
  body.PutAll(m.mesh.vertices);
  body.PutAll(m.mesh.tets);
  body.PutAll(m.depth);
  body.Put(m.max_depth);
  body.Put(m.spacing);
  body.Put(m.corners);
  body.Put(m.corners_kept);
  body.Put(static_cast<int>(m.stopped));
  Writer file;
  file.Put(kMagic);
  file.Put(kByteOrder);
  file.Put(kVersion);
  file.Put(key);
  file.Put(static_cast<std::uint64_t>(body.bytes.size()));
  file.Put(Checksum(body.bytes.data(), body.bytes.size()));
  return file.bytes + body.bytes;
}

std::optional<MeshedInterior> Decode(const MeshKey& key, const std::string& bytes) {
  Reader r(bytes.data(), bytes.size());
  const auto magic = r.Get<std::array<char, 8>>();
  const bool ours = !std::memcmp(magic.data(), kMagic, sizeof(kMagic)) &&
                    r.Get<std::uint64_t>() == kByteOrder && r.Get<std::uint64_t>() == kVersion &&
                    r.Get<MeshKey>() == key;
  const auto size = r.Get<std::uint64_t>();
  const auto checksum = r.Get<std::uint64_t>();
  if (!ours || !r.ok || size != r.left() || checksum != Checksum(r.here(), r.left())) return std::nullopt;
  MeshedInterior m;
  m.mesh.vertices = r.GetAll<Vec3>();
  m.mesh.tets = r.GetAll<std::array<int, 4>>();
  m.depth = r.GetAll<double>();
  m.max_depth = r.Get<double>();
  m.spacing = r.Get<double>();
  m.corners = r.Get<int>();
  m.corners_kept = r.Get<int>();
  m.stopped = r.Get<int>() != 0;
  const int n = static_cast<int>(m.mesh.vertices.size());
  bool sound = r.ok && r.left() == 0 && m.depth.size() == m.mesh.vertices.size() && m.max_depth > 0;
  for (const auto& tet : m.mesh.tets)
    for (int v : tet) sound = sound && v >= 0 && v < n;
  if (!sound) return std::nullopt;
  return m;
}

fs::path FileOf(const std::string& directory, const MeshKey& key) {
  char name[33];
  std::snprintf(name, sizeof(name), "%016llx%016llx", static_cast<unsigned long long>(key[0]),
                static_cast<unsigned long long>(key[1]));
  return fs::path(directory) / (std::string(name) + kSuffix);
}

// Of our files alone; others may use the folder, too.
void DropOldest(const std::string& directory, std::uint64_t max_bytes) {
  struct File {
    fs::file_time_type used;
    fs::path path;
    std::uint64_t size;
  };
  std::vector<File> files;
  std::uint64_t total = 0;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    const File file{fs::last_write_time(it->path(), gone), it->path(), it->file_size(gone)};
    if (gone) continue;
    if (it->path().extension() == kUnfinished && now - file.used > std::chrono::hours(1))
      fs::remove(it->path(), gone);  // of a process that was killed
    if (it->path().extension() != kSuffix) continue;
    files.push_back(file);
    total += file.size;
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
    return a.used != b.used ? a.used < b.used : a.path < b.path;
  });
  for (const File& file : files) {
    if (total <= max_bytes) return;
    fs::remove(file.path, error);
    total -= file.size;
  }
}

}  // namespace

MeshKey KeyOf(const TriangleMesh& surface, const MesherOptions& o, const std::string& treatment) {
  MeshKey key{};
  for (int k = 0; k < 2; ++k) {
    Hash hash(k == 0 ? 0x7461786f6cull : 0x2545f4914f6cdd1dull);
    const double numbers[] = {static_cast<double>(kVersion),
                              o.spacing,
                              o.sharp_angle,
                              o.surface_tolerance,
                              o.field_tolerance,
                              o.field_floor,
                              o.shortest_edge,
                              static_cast<double>(o.max_lattice_points),
                              static_cast<double>(o.max_tets),
                              static_cast<double>(o.enough_tets)};
    hash.Add(numbers, sizeof(numbers));
    hash.Add(treatment.data(), treatment.size());
    hash.Add(surface.vertices.data(), surface.vertices.size() * sizeof(surface.vertices[0]));
    hash.Add(surface.triangles.data(), surface.triangles.size() * sizeof(surface.triangles[0]));
    key[k] = hash.value();
  }
  return key;
}

MeshCache MeshCache::FromEnvironment() {
  MeshCache cache;
  if (const char* text = std::getenv("TAXEL_CACHE_MB"); text && *text) {
    double megabytes = -1;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), megabytes);
    if (error != std::errc() || *end || !(megabytes >= 0 && megabytes <= 1e9))
      throw Error(std::string("TAXEL_CACHE_MB=\"") + text +
                  "\" is not a size; give megabytes, 0 to 1e9 (500 when it is not set), or TAXEL_CACHE=off");
    cache.max_bytes = static_cast<std::uint64_t>(1e6 * megabytes);
  }
  if (const char* given = std::getenv("TAXEL_CACHE"); given && *given) {
    if (std::string(given) != "off") cache.directory = given;
  } else if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg == '/') {
    cache.directory = (fs::path(xdg) / "taxel").string();
  } else if (const char* home = std::getenv("HOME"); home && *home) {
    cache.directory = (fs::path(home) / ".cache" / "taxel").string();
  }
  return cache;
}

std::optional<MeshedInterior> MeshCache::Load(const MeshKey& key) const {
  if (!on()) return std::nullopt;
  const fs::path path = FileOf(directory, key);
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::optional<MeshedInterior> out = Decode(key, bytes);
  std::error_code ignored;
  if (out) {
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  } else {
    fs::remove(path, ignored);
  }
  return out;
}

void MeshCache::Store(const MeshKey& key, const MeshedInterior& meshed) const {
  if (!on()) return;
  const std::string bytes = Encode(key, meshed);
  if (bytes.size() > max_bytes) return;
  std::error_code error;
  fs::create_directories(directory, error);
  const fs::path path = FileOf(directory, key);
  static std::atomic<unsigned> count{0};
  fs::path part = path;
  part.replace_extension(std::to_string(getpid()) + "-" + std::to_string(count++) + kUnfinished);
  {
    std::ofstream file(part, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {  // no room, no right
      fs::remove(part, error);
      return;
    }
  }
  fs::rename(part, path, error);
  if (error) {
    fs::remove(part, error);
    return;
  }
  DropOldest(directory, max_bytes);
}

}  // namespace taxel::internal
