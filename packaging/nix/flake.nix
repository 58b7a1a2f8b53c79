{
  description = "Exact, correctly rounded reductions of arrays";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" ];
      each = nixpkgs.lib.genAttrs systems;
    in {
      packages = each (system:
        let pkgs = nixpkgs.legacyPackages.${system};
        in rec {
          default = onefold;
          onefold = pkgs.stdenv.mkDerivation {
            pname = "onefold";
            version = "0.1.0";
            src = pkgs.fetchurl {
              url = "https://onefold.invalid/releases/v0.1.0/onefold-0.1.0.tar.gz";
              sha256 = "0000000000000000000000000000000000000000000000000000000000000000";
            };
            nativeBuildInputs = with pkgs; [ cmake ninja ];
            buildInputs = with pkgs; [ libhwy onetbb cli11 fmt nlohmann_json fast-float boost zlib zstd xz bzip2 ];
            cmakeFlags = [
              "-DONEFOLD_TESTS=OFF"
              "-DONEFOLD_GOLDEN=ON"
              "-DONEFOLD_MPI=OFF"
              "-DONEFOLD_ARROW=OFF"
              "-DONEFOLD_CUB=OFF"
            ];
            doCheck = true;
            # Loaded for a compressed file.
            postFixup = "patchelf --add-rpath ${pkgs.lib.makeLibraryPath (with pkgs; [ zlib zstd xz bzip2 ])} $out/bin/onefold";
            checkPhase = "ctest -LE long --output-on-failure";
            meta = {
              description = "Fold arrays into exactly rounded sums, means and variances";
              homepage = "https://onefold.invalid";
              license = pkgs.lib.licenses.mit;
              mainProgram = "onefold";
              platforms = systems;
            };
          };
        });
    };
}
