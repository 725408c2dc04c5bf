// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of SPIR-V's enumerations, as the SPIR-V specification 1.6 and its
// registry of tools spell them; capabilities up to SPIRV-Tools 2023.1. Tool 43
// is observed with LLVM 22. A long file, because it is a table.

#include "format/spirv.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::spirv {

namespace {

struct Name {
  std::uint32_t value;
  std::string_view name;
};

// Each in ascending order.
constexpr std::array kCapabilities = {
    Name{0, "Matrix"},
    Name{1, "Shader"},
    Name{2, "Geometry"},
    Name{3, "Tessellation"},
    Name{4, "Addresses"},
    Name{5, "Linkage"},
    Name{6, "Kernel"},
    Name{7, "Vector16"},
    Name{8, "Float16Buffer"},
    Name{9, "Float16"},
    Name{10, "Float64"},
    Name{11, "Int64"},
    Name{12, "Int64Atomics"},
    Name{13, "ImageBasic"},
    Name{14, "ImageReadWrite"},
    Name{15, "ImageMipmap"},
    Name{17, "Pipes"},
    Name{18, "Groups"},
    Name{19, "DeviceEnqueue"},
    Name{20, "LiteralSampler"},
    Name{21, "AtomicStorage"},
    Name{22, "Int16"},
    Name{23, "TessellationPointSize"},
    Name{24, "GeometryPointSize"},
    Name{25, "ImageGatherExtended"},
    Name{27, "StorageImageMultisample"},
    Name{28, "UniformBufferArrayDynamicIndexing"},
    Name{29, "SampledImageArrayDynamicIndexing"},
    Name{30, "StorageBufferArrayDynamicIndexing"},
    Name{31, "StorageImageArrayDynamicIndexing"},
    Name{32, "ClipDistance"},
    Name{33, "CullDistance"},
    Name{34, "ImageCubeArray"},
    Name{35, "SampleRateShading"},
    Name{36, "ImageRect"},
    Name{37, "SampledRect"},
    Name{38, "GenericPointer"},
    Name{39, "Int8"},
    Name{40, "InputAttachment"},
    Name{41, "SparseResidency"},
    Name{42, "MinLod"},
    Name{43, "Sampled1D"},
    Name{44, "Image1D"},
    Name{45, "SampledCubeArray"},
    Name{46, "SampledBuffer"},
    Name{47, "ImageBuffer"},
    Name{48, "ImageMSArray"},
    Name{49, "StorageImageExtendedFormats"},
    Name{50, "ImageQuery"},
    Name{51, "DerivativeControl"},
    Name{52, "InterpolationFunction"},
    Name{53, "TransformFeedback"},
    Name{54, "GeometryStreams"},
    Name{55, "StorageImageReadWithoutFormat"},
    Name{56, "StorageImageWriteWithoutFormat"},
    Name{57, "MultiViewport"},
    Name{58, "SubgroupDispatch"},
    Name{59, "NamedBarrier"},
    Name{60, "PipeStorage"},
    Name{61, "GroupNonUniform"},
    Name{62, "GroupNonUniformVote"},
    Name{63, "GroupNonUniformArithmetic"},
    Name{64, "GroupNonUniformBallot"},
    Name{65, "GroupNonUniformShuffle"},
    Name{66, "GroupNonUniformShuffleRelative"},
    Name{67, "GroupNonUniformClustered"},
    Name{68, "GroupNonUniformQuad"},
    Name{69, "ShaderLayer"},
    Name{70, "ShaderViewportIndex"},
    Name{4165, "CoreBuiltinsARM"},
    Name{4422, "FragmentShadingRateKHR"},
    Name{4423, "SubgroupBallotKHR"},
    Name{4427, "DrawParameters"},
    Name{4428, "WorkgroupMemoryExplicitLayoutKHR"},
    Name{4429, "WorkgroupMemoryExplicitLayout8BitAccessKHR"},
    Name{4430, "WorkgroupMemoryExplicitLayout16BitAccessKHR"},
    Name{4431, "SubgroupVoteKHR"},
    Name{4433, "StorageBuffer16BitAccess"},
    Name{4434, "UniformAndStorageBuffer16BitAccess"},
    Name{4435, "StoragePushConstant16"},
    Name{4436, "StorageInputOutput16"},
    Name{4437, "DeviceGroup"},
    Name{4439, "MultiView"},
    Name{4441, "VariablePointersStorageBuffer"},
    Name{4442, "VariablePointers"},
    Name{4445, "AtomicStorageOps"},
    Name{4447, "SampleMaskPostDepthCoverage"},
    Name{4448, "StorageBuffer8BitAccess"},
    Name{4449, "UniformAndStorageBuffer8BitAccess"},
    Name{4450, "StoragePushConstant8"},
    Name{4464, "DenormPreserve"},
    Name{4465, "DenormFlushToZero"},
    Name{4466, "SignedZeroInfNanPreserve"},
    Name{4467, "RoundingModeRTE"},
    Name{4468, "RoundingModeRTZ"},
    Name{4471, "RayQueryProvisionalKHR"},
    Name{4472, "RayQueryKHR"},
    Name{4478, "RayTraversalPrimitiveCullingKHR"},
    Name{4479, "RayTracingKHR"},
    Name{5008, "Float16ImageAMD"},
    Name{5009, "ImageGatherBiasLodAMD"},
    Name{5010, "FragmentMaskAMD"},
    Name{5013, "StencilExportEXT"},
    Name{5015, "ImageReadWriteLodAMD"},
    Name{5016, "Int64ImageEXT"},
    Name{5055, "ShaderClockKHR"},
    Name{5249, "SampleMaskOverrideCoverageNV"},
    Name{5251, "GeometryShaderPassthroughNV"},
    Name{5254, "ShaderViewportIndexLayerEXT"},
    Name{5255, "ShaderViewportMaskNV"},
    Name{5259, "ShaderStereoViewNV"},
    Name{5260, "PerViewAttributesNV"},
    Name{5265, "FragmentFullyCoveredEXT"},
    Name{5266, "MeshShadingNV"},
    Name{5282, "ImageFootprintNV"},
    Name{5283, "MeshShadingEXT"},
    Name{5284, "FragmentBarycentricKHR"},
    Name{5288, "ComputeDerivativeGroupQuadsNV"},
    Name{5291, "FragmentDensityEXT"},
    Name{5297, "GroupNonUniformPartitionedNV"},
    Name{5301, "ShaderNonUniform"},
    Name{5302, "RuntimeDescriptorArray"},
    Name{5303, "InputAttachmentArrayDynamicIndexing"},
    Name{5304, "UniformTexelBufferArrayDynamicIndexing"},
    Name{5305, "StorageTexelBufferArrayDynamicIndexing"},
    Name{5306, "UniformBufferArrayNonUniformIndexing"},
    Name{5307, "SampledImageArrayNonUniformIndexing"},
    Name{5308, "StorageBufferArrayNonUniformIndexing"},
    Name{5309, "StorageImageArrayNonUniformIndexing"},
    Name{5310, "InputAttachmentArrayNonUniformIndexing"},
    Name{5311, "UniformTexelBufferArrayNonUniformIndexing"},
    Name{5312, "StorageTexelBufferArrayNonUniformIndexing"},
    Name{5340, "RayTracingNV"},
    Name{5341, "RayTracingMotionBlurNV"},
    Name{5345, "VulkanMemoryModel"},
    Name{5346, "VulkanMemoryModelDeviceScope"},
    Name{5347, "PhysicalStorageBufferAddresses"},
    Name{5350, "ComputeDerivativeGroupLinearNV"},
    Name{5353, "RayTracingProvisionalKHR"},
    Name{5357, "CooperativeMatrixNV"},
    Name{5363, "FragmentShaderSampleInterlockEXT"},
    Name{5372, "FragmentShaderShadingRateInterlockEXT"},
    Name{5373, "ShaderSMBuiltinsNV"},
    Name{5378, "FragmentShaderPixelInterlockEXT"},
    Name{5379, "DemoteToHelperInvocation"},
    Name{5381, "RayTracingOpacityMicromapEXT"},
    Name{5383, "ShaderInvocationReorderNV"},
    Name{5390, "BindlessTextureNV"},
    Name{5568, "SubgroupShuffleINTEL"},
    Name{5569, "SubgroupBufferBlockIOINTEL"},
    Name{5570, "SubgroupImageBlockIOINTEL"},
    Name{5579, "SubgroupImageMediaBlockIOINTEL"},
    Name{5582, "RoundToInfinityINTEL"},
    Name{5583, "FloatingPointModeINTEL"},
    Name{5584, "IntegerFunctions2INTEL"},
    Name{5603, "FunctionPointersINTEL"},
    Name{5604, "IndirectReferencesINTEL"},
    Name{5606, "AsmINTEL"},
    Name{5612, "AtomicFloat32MinMaxEXT"},
    Name{5613, "AtomicFloat64MinMaxEXT"},
    Name{5616, "AtomicFloat16MinMaxEXT"},
    Name{5617, "VectorComputeINTEL"},
    Name{5619, "VectorAnyINTEL"},
    Name{5629, "ExpectAssumeKHR"},
    Name{5696, "SubgroupAvcMotionEstimationINTEL"},
    Name{5697, "SubgroupAvcMotionEstimationIntraINTEL"},
    Name{5698, "SubgroupAvcMotionEstimationChromaINTEL"},
    Name{5817, "VariableLengthArrayINTEL"},
    Name{5821, "FunctionFloatControlINTEL"},
    Name{5824, "FPGAMemoryAttributesINTEL"},
    Name{5837, "FPFastMathModeINTEL"},
    Name{5844, "ArbitraryPrecisionIntegersINTEL"},
    Name{5845, "ArbitraryPrecisionFloatingPointINTEL"},
    Name{5886, "UnstructuredLoopControlsINTEL"},
    Name{5888, "FPGALoopControlsINTEL"},
    Name{5892, "KernelAttributesINTEL"},
    Name{5897, "FPGAKernelAttributesINTEL"},
    Name{5898, "FPGAMemoryAccessesINTEL"},
    Name{5904, "FPGAClusterAttributesINTEL"},
    Name{5906, "LoopFuseINTEL"},
    Name{5908, "FPGADSPControlINTEL"},
    Name{5910, "MemoryAccessAliasingINTEL"},
    Name{5916, "FPGAInvocationPipeliningAttributesINTEL"},
    Name{5920, "FPGABufferLocationINTEL"},
    Name{5922, "ArbitraryPrecisionFixedPointINTEL"},
    Name{5935, "USMStorageClassesINTEL"},
    Name{5939, "RuntimeAlignedAttributeINTEL"},
    Name{5943, "IOPipesINTEL"},
    Name{5945, "BlockingPipesINTEL"},
    Name{5948, "FPGARegINTEL"},
    Name{6016, "DotProductInputAll"},
    Name{6017, "DotProductInput4x8Bit"},
    Name{6018, "DotProductInput4x8BitPacked"},
    Name{6019, "DotProduct"},
    Name{6020, "RayCullMaskKHR"},
    Name{6025, "BitInstructions"},
    Name{6026, "GroupNonUniformRotateKHR"},
    Name{6033, "AtomicFloat32AddEXT"},
    Name{6034, "AtomicFloat64AddEXT"},
    Name{6089, "LongConstantCompositeINTEL"},
    Name{6094, "OptNoneINTEL"},
    Name{6095, "AtomicFloat16AddEXT"},
    Name{6114, "DebugInfoModuleINTEL"},
    Name{6141, "SplitBarrierINTEL"},
    Name{6400, "GroupUniformArithmeticKHR"},
};

constexpr std::array kModels = {
    Name{0, "Vertex"},
    Name{1, "TessellationControl"},
    Name{2, "TessellationEvaluation"},
    Name{3, "Geometry"},
    Name{4, "Fragment"},
    Name{5, "GLCompute"},
    Name{6, "Kernel"},
    Name{5267, "TaskNV"},
    Name{5268, "MeshNV"},
    Name{5313, "RayGenerationKHR"},
    Name{5314, "IntersectionKHR"},
    Name{5315, "AnyHitKHR"},
    Name{5316, "ClosestHitKHR"},
    Name{5317, "MissKHR"},
    Name{5318, "CallableKHR"},
    Name{5364, "TaskEXT"},
    Name{5365, "MeshEXT"},
};

constexpr std::array kAddressing = {
    Name{0, "Logical"},
    Name{1, "Physical32"},
    Name{2, "Physical64"},
    Name{5348, "PhysicalStorageBuffer64"},
};

constexpr std::array kMemory = {
    Name{0, "Simple"},
    Name{1, "GLSL450"},
    Name{2, "OpenCL"},
    Name{3, "Vulkan"},
};

constexpr std::array kLanguages = {
    Name{0, "Unknown"},        Name{1, "ESSL"},       Name{2, "GLSL"},
    Name{3, "OpenCL_C"},       Name{4, "OpenCL_CPP"}, Name{5, "HLSL"},
    Name{6, "CPP_for_OpenCL"}, Name{7, "SYCL"},       Name{8, "HERO_C"},
    Name{9, "NZSL"},           Name{10, "WGSL"},      Name{11, "Slang"},
    Name{12, "Zig"},           Name{13, "Rust"},
};

constexpr std::array kTools = {
    Name{0, "Khronos"},
    Name{1, "LunarG"},
    Name{2, "Valve"},
    Name{3, "Codeplay"},
    Name{4, "NVIDIA"},
    Name{5, "ARM"},
    Name{6, "Khronos LLVM/SPIR-V Translator"},
    Name{7, "Khronos SPIR-V Tools Assembler"},
    Name{8, "Khronos Glslang Reference Front End"},
    Name{9, "Qualcomm"},
    Name{10, "AMD"},
    Name{11, "Intel"},
    Name{12, "Imagination"},
    Name{13, "Google Shaderc over Glslang"},
    Name{14, "Google spiregg"},
    Name{15, "Google rspirv"},
    Name{16, "X-LEGEND Mesa-IR/SPIR-V Translator"},
    Name{17, "Khronos SPIR-V Tools Linker"},
    Name{18, "Wine VKD3D Shader Compiler"},
    Name{19, "Tellusim Clay Shader Compiler"},
    Name{20, "W3C WebGPU Group WHLSL Shader Translator"},
    Name{21, "Google Clspv"},
    Name{22, "Google MLIR SPIR-V Serializer"},
    Name{23, "Google Tint Compiler"},
    Name{24, "Google ANGLE Shader Compiler"},
    Name{25, "Netease Games Messiah Shader Compiler"},
    Name{26, "Xenia Xenia Emulator Microcode Translator"},
    Name{27, "Embark Studios Rust GPU Compiler Backend"},
    Name{28, "gfx-rs community Naga"},
    Name{29, "Mikkosoft Productions MSP Shader Compiler"},
    Name{30, "SpvGenTwo community SpvGenTwo SPIR-V IR Tools"},
    Name{31, "Google Skia SkSL"},
    Name{32, "TornadoVM SPIRV Beehive Toolkit"},
    Name{33, "DragonJoker ShaderWriter"},
    Name{34, "Rayan Hatout SPIRVSmith"},
    Name{35, "Saarland University Shady"},
    Name{36, "Taichi Graphics Taichi"},
    Name{43, "LLVM SPIR-V Backend"},
};

std::string name_of(std::span<const Name> names, std::uint32_t value) {
  auto at = std::ranges::lower_bound(names, value, {}, &Name::value);
  if (at != names.end() && at->value == value)
    return std::string(at->name);
  return fmt::format("{}", value);
}

} // namespace

std::string capability_name(std::uint32_t value) {
  return name_of(kCapabilities, value);
}
std::string execution_model_name(std::uint32_t value) {
  return name_of(kModels, value);
}
std::string addressing_model_name(std::uint32_t value) {
  return name_of(kAddressing, value);
}
std::string memory_model_name(std::uint32_t value) {
  return name_of(kMemory, value);
}
std::string source_language_name(std::uint32_t value) {
  return name_of(kLanguages, value);
}
std::string generator_name(std::uint32_t generator) {
  return name_of(kTools, generator >> 16);
}

} // namespace gantry::spirv
