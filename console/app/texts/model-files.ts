// The files that ComfyUI needs for each model. Written by "make generate" from the graphs of workers. Do not edit.

export interface ModelFile {
  folder: string;
  name: string;
  /** The pages where it is published, if that is known. */
  from: string[];
  /** What the graphs that need it are for, if not all do. */
  only?: string[];
}

// prettier-ignore
export const filesOf: Record<string, ModelFile[]> = {
  "ace_step_1.5_sft": [
    { folder: "text_encoders", name: "qwen_0.6b_ace15.safetensors", from: ["https://huggingface.co/Comfy-Org/ace_step_1.5_ComfyUI_files"] },
    { folder: "text_encoders", name: "qwen_1.7b_ace15.safetensors", from: ["https://huggingface.co/Comfy-Org/ace_step_1.5_ComfyUI_files"] },
    { folder: "diffusion_models", name: "acestep_v1.5_sft.safetensors", from: ["https://huggingface.co/Comfy-Org/ace_step_1.5_ComfyUI_files"] },
    { folder: "vae", name: "ace_1.5_vae.safetensors", from: ["https://huggingface.co/Comfy-Org/ace_step_1.5_ComfyUI_files"] },
  ],
  "ace_step_1.5_turbo": [
    { folder: "text_encoders", name: "qwen_0.6b_ace15.safetensors", from: ["https://huggingface.co/Comfy-Org/ace_step_1.5_ComfyUI_files"] },
    { folder: "text_encoders", name: "qwen_1.7b_ace15.safetensors", from: ["https://huggingface.co/Comfy-Org/ace_step_1.5_ComfyUI_files"] },
    { folder: "diffusion_models", name: "acestep_v1.5_turbo.safetensors", from: ["https://huggingface.co/Comfy-Org/ace_step_1.5_ComfyUI_files"] },
    { folder: "vae", name: "ace_1.5_vae.safetensors", from: ["https://huggingface.co/Comfy-Org/ace_step_1.5_ComfyUI_files"] },
  ],
  "albedo-xl": [
    { folder: "checkpoints", name: "albedo-xl.safetensors", from: [] },
  ],
  "analog-madness-xl": [
    { folder: "checkpoints", name: "analog-madness-xl.safetensors", from: [] },
  ],
  "anima-pencil-xl": [
    { folder: "checkpoints", name: "anima-pencil-xl.safetensors", from: [] },
  ],
  "animagine-xl": [
    { folder: "checkpoints", name: "animagine-xl.safetensors", from: [] },
  ],
  "art-universe-xl": [
    { folder: "checkpoints", name: "art-universe-xl.safetensors", from: [] },
  ],
  "birefnet_image_background_removal_fp16": [
    { folder: "background_removal", name: "birefnet.safetensors", from: ["https://huggingface.co/Comfy-Org/BiRefNet"] },
  ],
  "chroma-v.46-flash_fp8": [
    { folder: "text_encoders", name: "t5xxl_fp8_e4m3fn_scaled.safetensors", from: ["https://huggingface.co/comfyanonymous/flux_text_encoders"] },
    { folder: "diffusion_models", name: "chroma-v.46-flash_fp8.safetensors", from: ["https://huggingface.co/Comfy-Org/Chroma1-HD_repackaged"] },
    { folder: "vae", name: "ae.safetensors", from: ["https://huggingface.co/Comfy-Org/Lumina_Image_2.0_Repackaged"] },
  ],
  "chroma-v48-detail-svd_fp8": [
    { folder: "text_encoders", name: "t5xxl_fp8_e4m3fn_scaled.safetensors", from: ["https://huggingface.co/comfyanonymous/flux_text_encoders"] },
    { folder: "diffusion_models", name: "chroma-v48-detail-svd_fp8.safetensors", from: ["https://huggingface.co/Comfy-Org/Chroma1-HD_repackaged"] },
    { folder: "vae", name: "ae.safetensors", from: ["https://huggingface.co/Comfy-Org/Lumina_Image_2.0_Repackaged"] },
  ],
  "chroma1-hd_fp8_scaled": [
    { folder: "text_encoders", name: "t5xxl_fp8_e4m3fn_scaled.safetensors", from: ["https://huggingface.co/comfyanonymous/flux_text_encoders"] },
    { folder: "diffusion_models", name: "chroma1-hd_fp8_scaled.safetensors", from: ["https://huggingface.co/Comfy-Org/Chroma1-HD_repackaged"] },
    { folder: "vae", name: "ae.safetensors", from: ["https://huggingface.co/Comfy-Org/Lumina_Image_2.0_Repackaged"] },
  ],
  "cyberrealistic-xl": [
    { folder: "checkpoints", name: "cyberrealistic-xl.safetensors", from: [] },
  ],
  "dark_beast_krea2_fp8": [
    { folder: "text_encoders", name: "qwen3vl_4b_fp8_scaled.safetensors", from: ["https://huggingface.co/Comfy-Org/Krea-2"] },
    { folder: "diffusion_models", name: "dark_beast_krea2_fp8.safetensors", from: ["https://huggingface.co/Comfy-Org/Krea-2"] },
    { folder: "vae", name: "qwen_image_vae.safetensors", from: ["https://huggingface.co/Comfy-Org/Krea-2"] },
  ],
  "dark_beast_z_image_turbo_v9_bf16": [
    { folder: "text_encoders", name: "qwen_3_4b.safetensors", from: ["https://huggingface.co/Comfy-Org/z_image_turbo"] },
    { folder: "diffusion_models", name: "dark_beast_z_image_turbo_v9_bf16.safetensors", from: ["https://huggingface.co/Comfy-Org/z_image_turbo","https://huggingface.co/Comfy-Org/z_image"] },
    { folder: "vae", name: "ae.safetensors", from: ["https://huggingface.co/Comfy-Org/z_image_turbo"] },
  ],
  "dreamshaper-xl": [
    { folder: "checkpoints", name: "dreamshaper-xl.safetensors", from: [] },
  ],
  "faetastic-xl": [
    { folder: "checkpoints", name: "faetastic-xl.safetensors", from: [] },
  ],
  "hyphoria-real": [
    { folder: "checkpoints", name: "hyphoria-real.safetensors", from: [] },
  ],
  "krea2_turbo_fp8_scaled": [
    { folder: "text_encoders", name: "qwen3vl_4b_fp8_scaled.safetensors", from: ["https://huggingface.co/Comfy-Org/Krea-2"] },
    { folder: "diffusion_models", name: "krea2_turbo_fp8_scaled.safetensors", from: ["https://huggingface.co/Comfy-Org/Krea-2"] },
    { folder: "vae", name: "qwen_image_vae.safetensors", from: ["https://huggingface.co/Comfy-Org/Krea-2"] },
  ],
  "ltx23-22b-fp8_i2v_distilled": [
    { folder: "checkpoints", name: "ltx-2.3-22b-dev-fp8.safetensors", from: ["https://huggingface.co/Lightricks/LTX-2.3-fp8"] },
    { folder: "text_encoders", name: "gemma_3_12B_it_fp4_mixed.safetensors", from: ["https://huggingface.co/Comfy-Org/ltx-2"] },
    { folder: "loras", name: "ltx_2.3_22b_distilled_1.1_lora_dynamic_fro09_avg_rank_111_bf16.safetensors", from: ["https://huggingface.co/Comfy-Org/ltx-2.3"] },
    { folder: "latent_upscale_models", name: "ltx-2.3-spatial-upscaler-x2-1.1.safetensors", from: ["https://huggingface.co/Lightricks/LTX-2.3"] },
  ],
  "ltx23-22b-fp8_t2v_distilled": [
    { folder: "checkpoints", name: "ltx-2.3-22b-dev-fp8.safetensors", from: ["https://huggingface.co/Lightricks/LTX-2.3-fp8"] },
    { folder: "text_encoders", name: "gemma_3_12B_it_fp4_mixed.safetensors", from: ["https://huggingface.co/Comfy-Org/ltx-2"] },
    { folder: "loras", name: "ltx_2.3_22b_distilled_1.1_lora_dynamic_fro09_avg_rank_111_bf16.safetensors", from: ["https://huggingface.co/Comfy-Org/ltx-2.3"] },
    { folder: "latent_upscale_models", name: "ltx-2.3-spatial-upscaler-x2-1.1.safetensors", from: ["https://huggingface.co/Lightricks/LTX-2.3"] },
  ],
  "ltx25-22b-int8_i2v_distilled": [
    { folder: "vae", name: "ltx-2.5-audio-vae-bf16.safetensors", from: ["https://huggingface.co/Lightricks/LTX-2.5"] },
    { folder: "text_encoders", name: "gemma4-12b-with-proj-ltx-2.5-comfy-int8-convrot.safetensors", from: ["https://huggingface.co/Lightricks/LTX-2.5"] },
    { folder: "diffusion_models", name: "ltx-2.5-22b-distilled-transformer-comfy-int8-convrot.safetensors", from: ["https://huggingface.co/Lightricks/LTX-2.5"] },
    { folder: "vae", name: "ltx-2.5-video-vae-bf16.safetensors", from: ["https://huggingface.co/Lightricks/LTX-2.5"] },
    { folder: "latent_upscale_models", name: "ltx-2.5-latent-spatial-upscaler-x2-bf16-1.0.safetensors", from: ["https://huggingface.co/Lightricks/LTX-2.5"], only: ["LTX 2.5 distilled, from a first frame, with sound.","LTX 2.5 distilled, from a first frame, without sound."] },
  ],
  "ltx25-22b-int8_t2v_distilled": [
    { folder: "vae", name: "ltx-2.5-audio-vae-bf16.safetensors", from: ["https://huggingface.co/Lightricks/LTX-2.5"] },
    { folder: "text_encoders", name: "gemma4-12b-with-proj-ltx-2.5-comfy-int8-convrot.safetensors", from: ["https://huggingface.co/Lightricks/LTX-2.5"] },
    { folder: "diffusion_models", name: "ltx-2.5-22b-distilled-transformer-comfy-int8-convrot.safetensors", from: ["https://huggingface.co/Lightricks/LTX-2.5"] },
    { folder: "latent_upscale_models", name: "ltx-2.5-latent-spatial-upscaler-x2-bf16-1.0.safetensors", from: ["https://huggingface.co/Lightricks/LTX-2.5"] },
    { folder: "vae", name: "ltx-2.5-video-vae-bf16.safetensors", from: ["https://huggingface.co/Lightricks/LTX-2.5"] },
  ],
  "minimax-h3-fl2va-fp8_flf2v": [
    { folder: "text_encoders", name: "qwen3vl_32b_minimax_h3_nvfp4_awq.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "diffusion_models", name: "minimax_h3_fl2va*fp8*.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "vae", name: "minimax_h3_video_vae_fp16.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "vae", name: "minimax_h3_audio_vae_fp32.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"], only: ["MiniMax H3 from a first frame to a last one, with sound."] },
  ],
  "minimax-h3-fl2va-fp8_flf2v_turbo": [
    { folder: "text_encoders", name: "qwen3vl_32b_minimax_h3_nvfp4_awq.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "diffusion_models", name: "minimax_h3_fl2va*fp8*.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "loras", name: "minimax_h3_fl2v_turbo_8step_v1.0_comfyui_bf16.safetensors", from: ["https://huggingface.co/lightx2v/Minimax-h3-Turbo"] },
    { folder: "vae", name: "minimax_h3_video_vae_fp16.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "vae", name: "minimax_h3_audio_vae_fp32.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"], only: ["MiniMax H3 from a first frame to a last one, with sound."] },
  ],
  "minimax-h3-fl2va-fp8_i2v": [
    { folder: "text_encoders", name: "qwen3vl_32b_minimax_h3_nvfp4_awq.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "diffusion_models", name: "minimax_h3_fl2va*fp8*.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "vae", name: "minimax_h3_video_vae_fp16.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "vae", name: "minimax_h3_audio_vae_fp32.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"], only: ["MiniMax H3 from a first frame, with sound.","MiniMax H3 toward a last frame, with sound."] },
  ],
  "minimax-h3-fl2va-fp8_i2v_turbo": [
    { folder: "text_encoders", name: "qwen3vl_32b_minimax_h3_nvfp4_awq.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "diffusion_models", name: "minimax_h3_fl2va*fp8*.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "loras", name: "minimax_h3_fl2v_turbo_8step_v1.0_comfyui_bf16.safetensors", from: ["https://huggingface.co/lightx2v/Minimax-h3-Turbo"] },
    { folder: "vae", name: "minimax_h3_video_vae_fp16.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "vae", name: "minimax_h3_audio_vae_fp32.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"], only: ["MiniMax H3 from a first frame, with sound.","MiniMax H3 toward a last frame, with sound."] },
  ],
  "minimax-h3-fl2va-fp8_t2v": [
    { folder: "text_encoders", name: "qwen3vl_32b_minimax_h3_nvfp4_awq.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "diffusion_models", name: "minimax_h3_fl2va*fp8*.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "vae", name: "minimax_h3_video_vae_fp16.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "vae", name: "minimax_h3_audio_vae_fp32.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"], only: ["MiniMax H3 from words, with sound."] },
  ],
  "minimax-h3-fl2va-fp8_t2v_turbo": [
    { folder: "text_encoders", name: "qwen3vl_32b_minimax_h3_nvfp4_awq.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "diffusion_models", name: "minimax_h3_fl2va*fp8*.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "loras", name: "minimax_h3_fl2v_turbo_8step_v1.0_comfyui_bf16.safetensors", from: ["https://huggingface.co/lightx2v/Minimax-h3-Turbo"] },
    { folder: "vae", name: "minimax_h3_video_vae_fp16.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"] },
    { folder: "vae", name: "minimax_h3_audio_vae_fp32.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-H3"], only: ["MiniMax H3 from words, with sound."] },
  ],
  "minimax_music3": [
    { folder: "text_encoders", name: "minimax_music3_text_encoder_pruned_int8_convrot.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-Music-3"] },
    { folder: "diffusion_models", name: "minimax_music3_dit_fp16.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-Music-3"] },
    { folder: "vae", name: "minimax_music3_dav.safetensors", from: ["https://huggingface.co/Comfy-Org/MiniMax-Music-3"] },
  ],
  "one-obsession-v22": [
    { folder: "checkpoints", name: "one-obsession-v22.safetensors", from: [] },
  ],
  "pony-faetality": [
    { folder: "checkpoints", name: "pony-faetality.safetensors", from: [] },
  ],
  "pony-v7": [
    { folder: "checkpoints", name: "pony-v7.safetensors", from: [] },
  ],
  "qwen_image_2512_fp8": [
    { folder: "text_encoders", name: "qwen_2.5_vl_7b_fp8_scaled.safetensors", from: ["https://huggingface.co/Comfy-Org/Qwen-Image_ComfyUI"] },
    { folder: "diffusion_models", name: "qwen_image_2512_fp8_e4m3fn.safetensors", from: ["https://huggingface.co/Comfy-Org/Qwen-Image_ComfyUI"] },
    { folder: "vae", name: "qwen_image_vae.safetensors", from: ["https://huggingface.co/Comfy-Org/Qwen-Image_ComfyUI"] },
  ],
  "qwen_image_2512_fp8_lightning": [
    { folder: "text_encoders", name: "qwen_2.5_vl_7b_fp8_scaled.safetensors", from: ["https://huggingface.co/Comfy-Org/Qwen-Image_ComfyUI"] },
    { folder: "loras", name: "Qwen-Image-2512-Lightning-4steps-V1.0-fp32.safetensors", from: ["https://huggingface.co/lightx2v/Qwen-Image-2512-Lightning"] },
    { folder: "diffusion_models", name: "qwen_image_2512_fp8_e4m3fn.safetensors", from: ["https://huggingface.co/Comfy-Org/Qwen-Image_ComfyUI"] },
    { folder: "vae", name: "qwen_image_vae.safetensors", from: ["https://huggingface.co/Comfy-Org/Qwen-Image_ComfyUI"] },
  ],
  "qwen_image_edit_2511_fp8": [
    { folder: "text_encoders", name: "qwen_2.5_vl_7b_fp8_scaled.safetensors", from: ["https://huggingface.co/Comfy-Org/Qwen-Image_ComfyUI"] },
    { folder: "diffusion_models", name: "qwen_image_edit_2511_fp8mixed.safetensors", from: ["https://huggingface.co/Comfy-Org/Qwen-Image-Edit_ComfyUI"] },
    { folder: "vae", name: "qwen_image_vae.safetensors", from: ["https://huggingface.co/Comfy-Org/Qwen-Image_ComfyUI"] },
  ],
  "qwen_image_edit_2511_fp8_lightning": [
    { folder: "text_encoders", name: "qwen_2.5_vl_7b_fp8_scaled.safetensors", from: ["https://huggingface.co/Comfy-Org/Qwen-Image_ComfyUI"] },
    { folder: "loras", name: "Qwen-Image-Edit-2511-Lightning-4steps-V1.0-bf16.safetensors", from: ["https://huggingface.co/lightx2v/Qwen-Image-Edit-2511-Lightning"] },
    { folder: "diffusion_models", name: "qwen_image_edit_2511_fp8mixed.safetensors", from: ["https://huggingface.co/Comfy-Org/Qwen-Image-Edit_ComfyUI"] },
    { folder: "vae", name: "qwen_image_vae.safetensors", from: ["https://huggingface.co/Comfy-Org/Qwen-Image_ComfyUI"] },
  ],
  "real-dream-xl": [
    { folder: "checkpoints", name: "real-dream-xl.safetensors", from: [] },
  ],
  "sam3_image_segment_bf16": [
    { folder: "checkpoints", name: "sam3.1_multiplex_fp16.safetensors", from: ["https://huggingface.co/Comfy-Org/sam3.1"] },
  ],
  "wan_v2.2-14b-fp8_i2v_lightx2v": [
    { folder: "text_encoders", name: "umt5_xxl_fp8_e4m3fn_scaled.safetensors", from: ["https://huggingface.co/Comfy-Org/Wan_2.2_ComfyUI_Repackaged"] },
    { folder: "diffusion_models", name: "wan2.2_i2v_high_noise_14B_fp8_scaled.safetensors", from: ["https://huggingface.co/Comfy-Org/Wan_2.2_ComfyUI_Repackaged"] },
    { folder: "loras", name: "wan2.2_i2v_lightx2v_4steps_lora_v1_high_noise.safetensors", from: ["https://huggingface.co/Comfy-Org/Wan_2.2_ComfyUI_Repackaged"] },
    { folder: "diffusion_models", name: "wan2.2_i2v_low_noise_14B_fp8_scaled.safetensors", from: ["https://huggingface.co/Comfy-Org/Wan_2.2_ComfyUI_Repackaged"] },
    { folder: "loras", name: "wan2.2_i2v_lightx2v_4steps_lora_v1_low_noise.safetensors", from: ["https://huggingface.co/Comfy-Org/Wan_2.2_ComfyUI_Repackaged"] },
    { folder: "vae", name: "wan_2.1_vae.safetensors", from: ["https://huggingface.co/Comfy-Org/Wan_2.2_ComfyUI_Repackaged"] },
  ],
  "wan_v2.2-14b-fp8_t2v_lightx2v": [
    { folder: "text_encoders", name: "umt5_xxl_fp8_e4m3fn_scaled.safetensors", from: ["https://huggingface.co/Comfy-Org/Wan_2.2_ComfyUI_Repackaged"] },
    { folder: "diffusion_models", name: "wan2.2_t2v_high_noise_14B_fp8_scaled.safetensors", from: ["https://huggingface.co/Comfy-Org/Wan_2.2_ComfyUI_Repackaged"] },
    { folder: "loras", name: "wan2.2_t2v_lightx2v_4steps_lora_v1.1_high_noise.safetensors", from: ["https://huggingface.co/Comfy-Org/Wan_2.2_ComfyUI_Repackaged"] },
    { folder: "diffusion_models", name: "wan2.2_t2v_low_noise_14B_fp8_scaled.safetensors", from: ["https://huggingface.co/Comfy-Org/Wan_2.2_ComfyUI_Repackaged"] },
    { folder: "loras", name: "wan2.2_t2v_lightx2v_4steps_lora_v1.1_low_noise.safetensors", from: ["https://huggingface.co/Comfy-Org/Wan_2.2_ComfyUI_Repackaged"] },
    { folder: "vae", name: "wan_2.1_vae.safetensors", from: ["https://huggingface.co/Comfy-Org/Wan_2.2_ComfyUI_Repackaged"] },
  ],
  "z_image_bf16": [
    { folder: "text_encoders", name: "qwen_3_4b.safetensors", from: ["https://huggingface.co/Comfy-Org/z_image_turbo"] },
    { folder: "diffusion_models", name: "z_image_bf16.safetensors", from: ["https://huggingface.co/Comfy-Org/z_image_turbo","https://huggingface.co/Comfy-Org/z_image"] },
    { folder: "vae", name: "ae.safetensors", from: ["https://huggingface.co/Comfy-Org/z_image_turbo"] },
  ],
  "z_image_turbo_bf16": [
    { folder: "text_encoders", name: "qwen_3_4b.safetensors", from: ["https://huggingface.co/Comfy-Org/z_image_turbo"] },
    { folder: "diffusion_models", name: "z_image_turbo_bf16.safetensors", from: ["https://huggingface.co/Comfy-Org/z_image_turbo","https://huggingface.co/Comfy-Org/z_image"] },
    { folder: "vae", name: "ae.safetensors", from: ["https://huggingface.co/Comfy-Org/z_image_turbo"] },
  ],
  "zavychroma-xl": [
    { folder: "checkpoints", name: "zavychroma-xl.safetensors", from: [] },
  ],
};
