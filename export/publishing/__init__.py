"""The models folder: who may write to it, what lies in it, and which versions carry labels.

models/.export.lock               held for moments: by who publishes, labels or removes
models/.resnet18-partial-XXXX/    work in progress; its file `lock` is held by who works there
models/.resnet18-pruned-XXXX/     a version on its way out
models/resnet18/3/                whole, the moment it is there
models/models.config              what a server started with --model_config_file serves
"""
