// libFuzzer target: any bytes as a Gmsh file. The reader gives a mesh or throws an Error whose
// findings have ids and messages; a mesh that passes the check has finite element matrices, and is
// read again as it is written.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "findings.h"
#include "grapple/fem/element/assembly.h"
#include "grapple/fem/gmsh/gmsh_file.h"

namespace {

namespace fem = grapple::fem;

void expect(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void assemble(const fem::Mesh& mesh) {
  fem::Structure structure;
  structure.mesh = mesh;
  structure.media.assign(mesh.regions.size(), {1e9, 0.3, 1000.0});
  if (mesh.dimension() == 2) structure.type.continuum = fem::Continuum::kPlaneStress;
  fem::check_structure(structure);
  const fem::SparseMatrix K = fem::assemble_stiffness(structure), m = fem::assemble_mass(structure);
  expect(K.coeffs().allFinite() && m.coeffs().allFinite(), "a matrix is not finite");
  expect(m.diagonal().minCoeff() > 0.0, "a node of a checked mesh has no mass");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const fem::Mesh mesh = fem::parse_gmsh(text, "input.msh");
    fem::check_mesh(mesh, "input.msh");
    assemble(mesh);
    const fem::Mesh again = fem::parse_gmsh(fem::gmsh_text(mesh), "again.msh");
    expect(again.nodes.size() == mesh.nodes.size(), "nodes are lost when written");
    expect(again.elements.size() == mesh.elements.size(), "elements are lost when written");
  } catch (const grapple::Error& error) {
    grapple::fuzz::check_findings(error);
  }
  return 0;
}
