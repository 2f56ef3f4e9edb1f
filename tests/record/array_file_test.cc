// The bytes of .npz archives, read back field by field as zip and .npy say.
#include "grapple/record/array_file.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>

namespace grapple::record {
namespace {

std::uint32_t number_at(const std::string& bytes, std::size_t at, int count) {
  std::uint32_t value = 0;
  for (int k = 0; k < count; ++k) {
    value |= static_cast<std::uint32_t>(
                 static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(k))))
             << (8 * k);
  }
  return value;
}

// The CRC of zip by its definition, bit by bit (ISO 3309, reflected polynomial 0xEDB88320).
std::uint32_t crc_by_bits(const std::string& bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

// Name to content, by way of the directory at the end.
std::map<std::string, std::string> files_in(const std::string& zip) {
  std::map<std::string, std::string> files;
  const std::size_t end = zip.size() - 22;
  EXPECT_EQ(zip.substr(end, 4), std::string("PK\x05\x06", 4));
  std::size_t at = number_at(zip, end + 16, 4);
  EXPECT_EQ(at + number_at(zip, end + 12, 4), end);
  for (std::uint32_t k = 0; k < number_at(zip, end + 10, 2); ++k) {
    EXPECT_EQ(zip.substr(at, 4), std::string("PK\x01\x02", 4));
    const std::uint32_t crc = number_at(zip, at + 16, 4), size = number_at(zip, at + 24, 4);
    const std::uint32_t length = number_at(zip, at + 28, 2), local = number_at(zip, at + 42, 4);
    const std::string name = zip.substr(at + 46, length);
    EXPECT_EQ(zip.substr(local, 4), std::string("PK\x03\x04", 4));
    EXPECT_EQ(zip.substr(local + 30, length), name);
    // Both headers say the same.
    EXPECT_EQ(zip.substr(local + 4, 26), zip.substr(at + 6, 26));
    files[name] = zip.substr(local + 30 + length, size);
    EXPECT_EQ(crc_by_bits(files[name]), crc);
    at += 46 + length;
  }
  EXPECT_EQ(at, end);
  return files;
}

TEST(ArrayFile, IsAZipOfNpyFiles) {
  spatial::MatX matrix(2, 3);
  matrix << 1, 2, 3, 4, 5, 6.5;
  const std::vector<std::complex<double>> poles{{0.5, -2.0}, {1e-300, 7.0}};
  const auto files =
      files_in(npz_bytes({{"M", matrix}, {"poles", poles}, {"none", std::vector<double>{}}}));
  ASSERT_EQ(files.size(), 3u);
  const std::string& m = files.at("M.npy");
  EXPECT_EQ(m.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t header = number_at(m, 8, 2);
  EXPECT_EQ((10 + header) % 64, 0u);
  const std::string text = m.substr(10, header);
  EXPECT_TRUE(text.starts_with("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }"));
  EXPECT_EQ(text.back(), '\n');
  double numbers[6];
  ASSERT_EQ(m.size(), 10 + header + sizeof numbers);
  std::memcpy(numbers, m.data() + 10 + header, sizeof numbers);
  const double expected[] = {1, 4, 2, 5, 3, 6.5};
  for (int k = 0; k < 6; ++k) EXPECT_EQ(numbers[k], expected[k]);
  const std::string& p = files.at("poles.npy");
  EXPECT_NE(p.find("'descr': '<c16', 'fortran_order': True, 'shape': (2,), }"), std::string::npos);
  EXPECT_EQ(p.size() % 64, 32u);
  double imaginary = 0.0;
  std::memcpy(&imaginary, p.data() + p.size() - 8, 8);
  EXPECT_EQ(imaginary, 7.0);
  EXPECT_NE(files.at("none.npy").find("(0,)"), std::string::npos);
}

}  // namespace
}  // namespace grapple::record
