# Our server: docker build -f docker/serving.Dockerfile -t graphserve .
#   docker run -p 127.0.0.1:8501:8501 -v $PWD/models:/models:ro graphserve --model_name=resnet18 --model_base_path=/models/resnet18
FROM python:3.11-slim
WORKDIR /app
COPY requirements/base.txt requirements/base.txt
RUN pip install --no-cache-dir --require-hashes -r requirements/base.txt
COPY serving serving
RUN useradd --system graphserve
USER graphserve
EXPOSE 8500 8501
HEALTHCHECK CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/readyz')"]
# Inside a container every address is the container's own: what is published is for docker run to say.
ENTRYPOINT ["python", "-m", "serving", "--bind_address=0.0.0.0", "--port=8500", "--rest_api_port=8501"]
